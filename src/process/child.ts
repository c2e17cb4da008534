/**
 * Child processes of this same executable, for work that must not happen beside the API. A child sees no settings and no
 * secrets in its environment, and ends when this process ends, however it ends.
 */
import { childEnvironment } from './environment'
import { limitMemoryGrowth, residentBytes } from './memory'

export type Child<Message> = {
  readonly pid: number
  /** Resident, where the system tells (Linux), else 0. */
  readonly memoryBytes: number
  /** False when the process is ending and its channel is closed already. */
  send(message: Message): boolean
  /**
   * From now on the kernel refuses the process what would let it grow by more than this; false where the kernel cannot
   * (other than Linux): there `memoryBytes` has to be watched. The process must have started: it has sent a message.
   * WebAssembly then runs half as fast, for there is no room to reserve for it.
   */
  limitMemoryGrowth(sizeBytes: number): boolean
  kill(): void
}

export type ChildOptions<FromChild> = {
  /** How the process is started, e.g. `['/usr/bin/sonant', 'worker']`. */
  readonly command: readonly string[]
  /** Added to what every child gets. */
  readonly environment?: Readonly<Record<string, string>>
  /** Whether what it writes to standard error is dropped. */
  readonly isQuiet?: boolean
  readonly onMessage: (message: FromChild) => void
  readonly onExit: () => void
}

/**
 * Bun's own switch: the kernel kills the process when its parent is gone (PR_SET_PDEATHSIG on Linux), even one that hangs
 * or is stopped. Elsewhere, and before it is in effect, the closed channel ends it (`followParent`).
 */
const endWithParent = { BUN_FEATURE_FLAG_NO_ORPHANS: '1' }

/** Starts a process that calls `followParent` first. To be called on the main thread, which the child then follows. */
export function startChild<FromChild, ToChild>(options: ChildOptions<FromChild>): Child<ToChild> {
  const child = Bun.spawn([...options.command], {
    env: { ...childEnvironment(process.env), ...endWithParent, ...options.environment },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: options.isQuiet ? 'ignore' : 'inherit',
    serialization: 'advanced',
    ipc: (message: FromChild) => options.onMessage(message),
    onExit: () => options.onExit(),
  })
  return {
    pid: child.pid,
    get memoryBytes() {
      return residentBytes(child.pid)
    },
    send(message) {
      try {
        child.send(message)
        return true
      } catch {
        return false
      }
    },
    limitMemoryGrowth: (sizeBytes) => limitMemoryGrowth(child.pid, sizeBytes),
    kill: () => child.kill('SIGKILL'),
  }
}
