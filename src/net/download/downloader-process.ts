/** One downloader process, seen from the main process. It serves one download and is killed afterwards. */
import { startChild } from '../../process/child'
import type { FromDownloader, Hop, HopResult } from './protocol'

export type DownloaderProcess = {
  /** Runs one hop at a time. Rejects when the process ends first. */
  fetch(hop: Hop): Promise<HopResult>
  /** Resolves once the process is gone. */
  kill(): Promise<void>
}

const memoryCheckMs = 250
/** Lower than the main process and the workers, because a foreign server decides how much work it has. */
const priority = 10
/** The garbage collector assumes little RAM, and Bun sends no crash reports. */
const runtimeSettings = { BUN_JSC_forceRAMSize: '100000000', DO_NOT_TRACK: '1' }

/** `memoryGrowthMaxBytes`: memory that the process may take beyond its size at start. */
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
    priority,
    environment: { ...runtimeSettings, ...furtherAuthorities() },
    // Foreign servers must not be able to write to the log.
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

/** Passes on the documented variable that names a file with additional trusted certificates. */
function furtherAuthorities(): Record<string, string> {
  const path = process.env.NODE_EXTRA_CA_CERTS
  return path === undefined ? {} : { NODE_EXTRA_CA_CERTS: path }
}
