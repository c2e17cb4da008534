/** One downloader process as the main process sees it: for one download, killed without ceremony when that is over. */
import { readFileSync } from 'node:fs'
import { setPriority } from 'node:os'
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
/** Nothing of the server's own environment, which holds its secrets; further authorities for certificates excepted. */
const inherited = ['NODE_EXTRA_CA_CERTS']
/** The collector is told to expect a small machine. */
const runtimeSettings = { BUN_JSC_forceRAMSize: '100000000' }

export function startDownloaderProcess({
  command,
  memoryMaxBytes,
}: {
  command: readonly string[]
  memoryMaxBytes: number
}): DownloaderProcess {
  const ready = Promise.withResolvers<void>()
  ready.promise.catch(() => {})
  let answer: PromiseWithResolvers<HopResult> | undefined
  const child = Bun.spawn([...command], {
    env: { ...runtimeSettings, ...pick(process.env, inherited) },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'inherit',
    serialization: 'advanced',
    ipc(message: FromDownloader) {
      if (message.type === 'ready') ready.resolve()
      else answer?.resolve(message)
    },
    onExit(_child, exitCode, signal) {
      clearInterval(memory)
      const error = new Error(`the downloader process ended: ${signal ?? exitCode}`)
      ready.reject(error)
      answer?.reject(error)
    },
  })
  lowerPriority(child.pid)
  const memory = setInterval(() => {
    if (residentBytes(child.pid) > memoryMaxBytes) child.kill('SIGKILL')
  }, memoryCheckMs)

  return {
    async fetch(hop) {
      await ready.promise
      answer = Promise.withResolvers()
      child.send(hop)
      return answer.promise
    },
    async kill() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

function pick(environment: Readonly<Record<string, string | undefined>>, names: readonly string[]) {
  return Object.fromEntries(
    names.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])),
  )
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, priority)
  } catch {
    // The process may have ended already, or the system may not allow it: it then runs at the same priority.
  }
}

/** Resident memory of a process where the system tells (Linux), else 0. */
function residentBytes(pid: number): number {
  try {
    return 1024 * Number(/VmRSS:\s*(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}
