/**
 * What to do when this process may open no further file. Bun then cannot accept a connection, is told at once that it
 * waits still, and tries again without end. So connections that do nothing are closed, and where that is not enough,
 * those that wait to be accepted. (Bun itself raises the soft limit to the hard one when it starts.)
 */
import { closeSync, openSync, readdirSync } from 'node:fs'
import type { Logger } from '../log'
import { openLibc } from './libc'

const checkMs = 100
const reportMs = 10_000
/** SOL_SOCKET, SO_ACCEPTCONN and SOCK_CLOEXEC, of Linux. */
const socketLevel = 1
const isListening = 30
const closeOnExec = 0o2000000

export type DescriptorGuard = { close(): void }

/** To be called when the server listens. `closeIdle` closes connections on which nothing is under way, and counts them. */
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
 * Returns what closes the connections that wait, and says how many those were. All that it needs is opened now: later
 * there may be nothing left to open it with. Other than on Linux it does nothing.
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
    // Another thread may have taken its place.
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
