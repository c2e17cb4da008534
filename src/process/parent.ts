/** Ties a child process to its parent: it ends with the parent and leaves signals to it. */

/**
 * A service manager signals every process of the service, and a terminal its whole process group. A child that ended on
 * such a signal would fail requests that the server still finishes. The server itself ends its children with SIGKILL.
 */
const ignoredSignals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGPIPE'] as const
const windowsSignals: readonly string[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** A child process calls this first. Throws when the server has not started it. */
export function followParent(): void {
  if (!process.send) throw new Error('only the server starts this command')
  process.on('disconnect', () => process.exit(0))
  for (const signal of ignoredSignals)
    if (process.platform !== 'win32' || windowsSignals.includes(signal)) process.on(signal, () => {})
}
