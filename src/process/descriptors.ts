/**
 * Guards against running out of file descriptors. Bun then cannot accept a waiting connection and retries in a busy
 * loop. So this guard closes idle connections and, if none is idle, refuses the connections that wait to be accepted.
 * (Bun itself raises the soft limit to the hard limit at its start.)
 */
import { closeSync, openSync, readdirSync } from 'node:fs'
import type { Logger } from '../log'
import { openLibc } from './libc'

const checkMs = 100
const reportMs = 10_000
/** SOL_SOCKET, SO_ACCEPTCONN and SOCK_CLOEXEC on Linux. */
const socketLevel = 1
const isListening = 30
const closeOnExec = 0o2000000

export type DescriptorGuard = { close(): void }

/** Call it once the server listens. `closeIdle` closes the idle connections and returns their number. */
export function guardDescriptors(options: { closeIdle: () => number; log: Logger }): DescriptorGuard {
  const refuseWaiting = prepareRefusal()
  let closed = 0
  let refused = 0
  let reportedAtMs = Number.NEGATIVE_INFINITY

  function check(): void {
    if (canOpen()) return
    const idle = options.closeIdle()
    closed += idle
    if (idle === 0) refused += refuseWaiting()
    if (performance.now() - reportedAtMs < reportMs) return
    reportedAtMs = performance.now()
    options.log.warn({ closed, refused }, 'too many files and connections are open; more needs a higher `ulimit -n`')
  }

  const timer = setInterval(check, checkMs)
  timer.unref()
  return { close: () => clearInterval(timer) }
}

function canOpen(): boolean {
  const descriptor = tryOpen()
  if (descriptor === undefined) return false
  closeSync(descriptor)
  return true
}

/**
 * Returns a function that closes the waiting connections and returns their number. Everything it needs is opened now,
 * because later no descriptor may be free. It does nothing outside Linux.
 */
function prepareRefusal(): () => number {
  const libc = openLibc({
    accept4: { args: ['i32', 'ptr', 'ptr', 'i32'], returns: 'i32' },
    close: { args: ['i32'], returns: 'i32' },
    getsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'ptr'], returns: 'i32' },
  })
  if (!libc) return () => 0
  const listens = (descriptor: number) => {
    const [value, size] = [new Int32Array(1), Int32Array.of(4)]
    return libc.getsockopt(descriptor, socketLevel, isListening, value, size) === 0 && value[0] === 1
  }
  const listeners = readdirSync('/proc/self/fd').map(Number).filter(listens)
  let spare = tryOpen()

  return () => {
    spare ??= tryOpen()
    if (spare === undefined) return 0
    let refused = 0
    closeSync(spare)
    for (const listener of listeners)
      for (;;) {
        const connection = libc.accept4(listener, null, null, closeOnExec)
        if (connection < 0) break
        libc.close(connection)
        refused++
      }
    // Undefined when another thread has taken the descriptor meanwhile.
    spare = tryOpen()
    return refused
  }
}

function tryOpen(): number | undefined {
  try {
    return openSync('/dev/null', 'r')
  } catch (error) {
    if (/^(EMFILE|ENFILE)$/.test((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}
