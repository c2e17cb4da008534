/** The parent side of the reference: one process that speaks texts on request and returns the time that it took. */
import type { Spent } from './answering'
import { startAnswering } from './process'
import { type BenchRow, median } from './report'
import type { ReferenceTask } from './reference-process'

export type Reference = ReturnType<typeof startReference>

/** Calls after which the JIT compiler has finished. */
const warmUpCalls = 20
const coresMax = 1.1

export function startReference() {
  const reference = startAnswering<ReferenceTask, Spent>('reference-process.ts')
  return {
    ...reference,
    async warmUp(task: ReferenceTask): Promise<void> {
      for (let call = 0; call < warmUpCalls; call++) await reference.run(task)
    },
  }
}

/** The number of cores that the reference kept busy. Well above 1, it is not a reference for one core. */
export function coresRow(name: string, results: Spent[]): BenchRow {
  const value = median(results.map(({ seconds, cpuSeconds }) => cpuSeconds / seconds))
  return {
    name: `${name}: cores of the reference`,
    value,
    unit: 'cores',
    reference: null,
    ratio: null,
    goal: null,
    most: coresMax,
  }
}
