/** The reference as the benches see it: one process that speaks texts when told and says how long it took. */
import { join } from 'node:path'
import { type BenchRow, median } from './report'
import type { ReferenceResult, ReferenceTask } from './reference-process'

export type Reference = ReturnType<typeof startReference>
export type { ReferenceResult } from './reference-process'

/** Calls after which the compiler has done its work. */
const warmUpCalls = 20
const coresMax = 1.1

export function startReference() {
  let answer: PromiseWithResolvers<ReferenceResult> | undefined
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'reference-process.ts')], {
    stdio: ['ignore', 'inherit', 'inherit'],
    serialization: 'advanced',
    ipc: (result: ReferenceResult) => answer?.resolve(result),
    onExit: () => answer?.reject(new Error('The reference process ended.')),
  })

  async function run(task: ReferenceTask): Promise<ReferenceResult> {
    answer = Promise.withResolvers()
    child.send(task)
    return answer.promise
  }

  return {
    run,
    async warmUp(task: ReferenceTask): Promise<void> {
      for (let call = 0; call < warmUpCalls; call++) await run(task)
    },
    async stop(): Promise<void> {
      answer = undefined
      child.kill()
      await child.exited
    },
  }
}

/** How many cores the reference kept busy: well above one, it is no measure of one core. */
export function coresRow(name: string, results: ReferenceResult[]): BenchRow {
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
