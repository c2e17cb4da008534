/** What a child process does about its parent: it ends when the parent is gone, and leaves all signals to it. */

/**
 * A service manager signals every process of the service, and a terminal its whole group: children that ended then would
 * take the requests with them that the server still finishes. The server itself ends them, by SIGKILL.
 */
const ignoredSignals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGPIPE'] as const
const windowsSignals: readonly string[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** To be called before anything else that a child process does. */
export function followParent(): void {
  if (!process.send) throw new Error('this is started by the server, not by hand')
  process.on('disconnect', () => process.exit(0))
  for (const signal of ignoredSignals)
    if (process.platform !== 'win32' || windowsSignals.includes(signal)) process.on(signal, () => {})
}
