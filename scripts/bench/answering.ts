/** The child side of bench processes that answer tasks. The parent side is `startAnswering` in process.ts. */
import { readFileSync } from 'node:fs'

/** Answers one task after the other until the parent closes the pipe. */
export function answerTasks<Task, Result>(work: (task: Task) => Promise<Result>): void {
  process.on('message', async (task: Task) => process.send!(await work(task)))
  process.on('disconnect', () => process.exit(0))
}

/**
 * Memory of this process, now or at its peak (Linux). `ru_maxrss` would include the parent's memory before the fork.
 */
export function residentBytes(field: 'VmRSS' | 'VmHWM'): number {
  return 1024 * Number(new RegExp(`${field}:\\s*(\\d+) kB`).exec(readFileSync('/proc/self/status', 'utf8'))![1])
}

/** Seconds of wall clock, of processor time of all threads of the process, and of audio. */
export type Spent = { readonly seconds: number; readonly cpuSeconds: number; readonly audioSeconds: number }

/** Measures `speak`, which returns the seconds of audio. */
export async function measureSpeaking(speak: () => Promise<number>): Promise<Spent> {
  const cpuBefore = process.cpuUsage()
  const startedAtMs = performance.now()
  const audioSeconds = await speak()
  const seconds = (performance.now() - startedAtMs) / 1000
  const { user, system } = process.cpuUsage(cpuBefore)
  return { seconds, cpuSeconds: (user + system) / 1e6, audioSeconds }
}
