/** Decides when to look at a folder again: after file system events, else at intervals. */
import { watch, type FSWatcher } from 'node:fs'

export type FolderWatchOptions = {
  /** Absolute path; the folder may not exist yet. */
  readonly directory: string
  /** Whether events of a file in the folder are ignored. */
  readonly isIgnored: (name: string) => boolean
  /** The delay of the next look when no event brings it forward. */
  readonly nextDelayMs: () => number
  /** Never rejects. */
  readonly look: () => Promise<void>
}

export type FolderWatch = {
  /** Looks as soon as possible, and from then on repeatedly. */
  start(): void
  /** Brings the next look forward to `delayMs` from now; has no effect on an earlier one or before `start`. */
  schedule(delayMs?: number): void
  /** Call it when the folder is gone: the system's watch ends with the folder, unnoticed. */
  forget(): void
  close(): void
}

/** Copying causes several events in a row. */
const gatherMs = 100

export function createFolderWatch({ directory, isIgnored, nextDelayMs, look }: FolderWatchOptions): FolderWatch {
  let isRunning = false
  let watcher: FSWatcher | undefined
  let timer: NodeJS.Timeout | undefined
  let nextLookAtMs = Infinity

  function schedule(delayMs = nextDelayMs()): void {
    const atMs = performance.now() + delayMs
    if (!isRunning || atMs >= nextLookAtMs) return
    nextLookAtMs = atMs
    clearTimeout(timer)
    timer = setTimeout(async () => {
      nextLookAtMs = Infinity
      watchFolder()
      await look()
      schedule()
    }, delayMs)
  }

  function watchFolder(): void {
    try {
      watcher ??= watch(directory, { persistent: false }, (_event, name) => {
        if (!isIgnored(String(name))) schedule(gatherMs)
      }).on('error', forget)
    } catch {
      // The folder does not exist yet, or the system cannot watch it; the interval must do.
      forget()
    }
  }

  function forget(): void {
    watcher?.close()
    watcher = undefined
  }

  return {
    start() {
      isRunning = true
      schedule(0)
    },
    schedule,
    forget,
    close() {
      isRunning = false
      clearTimeout(timer)
      forget()
    },
  }
}
