/**
 * Signal handling of the server. SIGTERM, SIGINT, SIGQUIT and SIGHUP drain it; under `nohup` it ignores SIGHUP. A
 * second SIGTERM, SIGINT or SIGQUIT at least a second later cancels the running work. SIGUSR1 and SIGUSR2 have no
 * effect.
 */
import { readFileSync } from 'node:fs'
import type { App } from '../app'
import type { Logger } from '../log'

const hurrying = ['SIGTERM', 'SIGINT', 'SIGQUIT'] as const
const harmless = ['SIGUSR1', 'SIGUSR2', 'SIGPIPE'] as const
type StopSignal = (typeof hurrying)[number] | 'SIGHUP'

/** A program in front (npm, a supervisor) may pass on Ctrl-C, which then arrives twice but counts once. */
const againAfterMs = 1_000

/** A server that is ready. */
export type Stoppable = { readonly app: Pick<App, 'close' | 'hurry'>; readonly log: Logger }

/**
 * Call this first: a signal during the start ends the process at once. The returned function registers the server to
 * drain.
 */
export function obeySignals(): (stoppable: Stoppable) => void {
  let server: Stoppable | undefined
  let stoppedAtMs: number | undefined

  function stop(signal: StopSignal): void {
    if (!server) process.exit(0)
    const { app, log } = server
    if (stoppedAtMs === undefined) {
      stoppedAtMs = performance.now()
      log.info({ signal }, 'stopping')
      void drain(app, log)
    } else if (signal !== 'SIGHUP' && performance.now() - stoppedAtMs >= againAfterMs) {
      log.warn({ signal }, 'stopping at once; running work is canceled')
      app.hurry()
    }
  }

  for (const signal of hurrying) on(signal, () => stop(signal))
  if (!isHangupIgnored()) on('SIGHUP', () => stop('SIGHUP'))
  for (const signal of harmless) on(signal, () => {})
  return (stoppable) => void (server = stoppable)
}

async function drain(app: Stoppable['app'], log: Logger): Promise<never> {
  try {
    await app.close()
    process.exit(0)
  } catch (error) {
    log.error({ err: error }, 'the shutdown failed')
    process.exit(1)
  }
}

const windowsSignals: readonly string[] = ['SIGTERM', 'SIGINT', 'SIGHUP']

function on(signal: NodeJS.Signals, listener: () => void): void {
  if (process.platform !== 'win32' || windowsSignals.includes(signal)) process.on(signal, listener)
}

/** Whether this process was started with SIGHUP ignored; known on Linux only. */
function isHangupIgnored(): boolean {
  try {
    const ignored = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
    return ignored !== undefined && (BigInt(`0x${ignored}`) & 1n) === 1n
  } catch {
    return false
  }
}
