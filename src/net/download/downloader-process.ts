/** One downloader process as the main process sees it: for one download, killed without ceremony when that is over. */
import { setPriority } from 'node:os'
import { startChild } from '../../process/child'
import type { FromDownloader, Hop, HopResult } from './protocol'

export type DownloaderProcess = {
  /** Rejects when the process ends first. One at a time. */
  fetch(hop: Hop): Promise<HopResult>
  /** Resolves once it is gone. */
  kill(): Promise<void>
}

const memoryCheckMs = 250
/** Well below the main process and the workers: it is a stranger who decides how much work it has. */
const priority = 10
/** The collector is told to expect a small machine; Bun, to tell nobody when it crashes. */
const runtimeSettings = { BUN_JSC_forceRAMSize: '100000000', DO_NOT_TRACK: '1' }

/** `memoryGrowthMaxBytes`: what it may take beyond its start. */
export function startDownloaderProcess({
  command,
  memoryGrowthMaxBytes,
}: {
  command: readonly string[]
  memoryGrowthMaxBytes: number
}): DownloaderProcess {
  const ready = Promise.withResolvers<void>()
  const gone = Promise.withResolvers<void>()
  let answer: PromiseWithResolvers<HopResult> | undefined
  let memoryCheck: NodeJS.Timeout | undefined
  const child = startChild<FromDownloader, Hop>({
    command,
    environment: { ...runtimeSettings, ...furtherAuthorities() },
    // Strangers must not be able to write to the log.
    isQuiet: true,
    onMessage(message) {
      if (message.type === 'ready') begin()
      else answer?.resolve(message)
    },
    onExit() {
      clearInterval(memoryCheck)
      ready.reject(ended)
      answer?.reject(ended)
      gone.resolve()
    },
  })
  const ended = new Error(`the downloader process ${child.pid} ended`)
  ready.promise.catch(() => {})
  lowerPriority(child.pid)

  function begin(): void {
    const memoryMaxBytes = child.memoryBytes + memoryGrowthMaxBytes
    if (!child.limitMemoryGrowth(memoryGrowthMaxBytes))
      memoryCheck = setInterval(() => child.memoryBytes > memoryMaxBytes && child.kill(), memoryCheckMs)
    ready.resolve()
  }

  return {
    async fetch(hop) {
      await ready.promise
      answer = Promise.withResolvers()
      if (!child.send(hop)) throw ended
      return answer.promise
    },
    kill() {
      child.kill()
      return gone.promise
    },
  }
}

/** Documented: a file with certificates that are trusted too. */
function furtherAuthorities(): Record<string, string> {
  const path = process.env.NODE_EXTRA_CA_CERTS
  return path === undefined ? {} : { NODE_EXTRA_CA_CERTS: path }
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, priority)
  } catch {
    // The process may have ended already, or the system may not allow it: it then runs at the same priority.
  }
}
