/** The inner side of the processes that benches give tasks to; the outer one is `startAnswering` in process.ts. */
import { readFileSync } from 'node:fs'

/** Answers one task after the other until the other side is gone. */
export function answerTasks<Task, Result>(work: (task: Task) => Promise<Result>): void {
  process.on('message', async (task: Task) => process.send!(await work(task)))
  process.on('disconnect', () => process.exit(0))
}

/** Of this process, now or at its peak (Linux); `ru_maxrss` would count what its parent had before. */
export function residentBytes(field: 'VmRSS' | 'VmHWM'): number {
  return 1024 * Number(new RegExp(`${field}:\\s*(\\d+) kB`).exec(readFileSync('/proc/self/status', 'utf8'))![1])
}

/** Seconds of wall clock, of processor time of all threads of the process, and of sound. */
export type Spent = { readonly seconds: number; readonly cpuSeconds: number; readonly audioSeconds: number }

/** `speak` returns the seconds of sound. */
export async function measureSpeaking(speak: () => Promise<number>): Promise<Spent> {
  const cpuBefore = process.cpuUsage()
  const startedAtMs = performance.now()
  const audioSeconds = await speak()
  const seconds = (performance.now() - startedAtMs) / 1000
  const { user, system } = process.cpuUsage(cpuBefore)
  return { seconds, cpuSeconds: (user + system) / 1e6, audioSeconds }
}
