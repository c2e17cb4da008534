/**
 * Child processes of this same executable, for work that must stay out of the API process. A child has no settings and
 * no secrets in its environment, and ends when this process ends, however it ends.
 */
import { setPriority } from 'node:os'
import { childEnvironment } from './environment'
import { limitMemoryGrowth, residentBytes } from './memory'

export type Child<Message> = {
  readonly pid: number
  /** Resident memory on Linux; 0 elsewhere. */
  readonly memoryBytes: number
  /** False when the channel is closed because the process is ending. */
  send(message: Message): boolean
  /**
   * Makes the kernel refuse allocations beyond a growth of `sizeBytes` from now on. Returns false where the kernel
   * cannot (outside Linux); watch `memoryBytes` there. Call it after the first message of the process. WebAssembly then
   * runs half as fast, because it cannot reserve address space.
   */
  limitMemoryGrowth(sizeBytes: number): boolean
  kill(): void
}

export type ChildOptions<FromChild> = {
  /** Command line of the process, e.g. `['/usr/bin/sonant', 'worker']`. */
  readonly command: readonly string[]
  /** Added to the environment of every child. */
  readonly environment?: Readonly<Record<string, string>>
  /** Nice value: with a higher one the system prefers this process. */
  readonly priority: number
  /** Whether to drop its standard error. */
  readonly isQuiet?: boolean
  readonly onMessage: (message: FromChild) => void
  readonly onExit: () => void
}

/**
 * A switch of Bun. On Linux the kernel kills the process when its parent exits (PR_SET_PDEATHSIG), even if it hangs or
 * is stopped. Elsewhere, and before the switch takes effect, the closed channel ends it (`followParent`).
 */
const endWithParent = { BUN_FEATURE_FLAG_NO_ORPHANS: '1' }

/** Starts a process that calls `followParent` first. Call it on the main thread; the child ends with that thread. */
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
  lowerPriority(child.pid, options.priority)
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

function lowerPriority(pid: number, priority: number): void {
  try {
    setPriority(pid, priority)
  } catch {
    // The process has ended, or the system forbids it; it then keeps the normal priority.
  }
}
