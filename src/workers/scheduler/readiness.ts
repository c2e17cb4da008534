/** When the engines and models of a request's voices will be ready, and how many processes can run them. */
import { engineKey, type VoiceSpec } from '../../speech/voice'
import { loadMeasure } from '../measures'
import type { Speeds } from '../speeds'
import type { Work } from '../work'
import type { WorkerPool } from '../worker-pool'

/** The load time and lane of a request with `tasks` tasks that speaks with `voices`. */
export function readinessOf(
  { pool, speeds, workers }: { pool: Pick<WorkerPool, 'processesOf'>; speeds: Speeds; workers: number },
  voices: readonly VoiceSpec[],
  tasks: number,
): Pick<Work, 'readyAtMs' | 'lane'> {
  const waits = voices.map((voice) => {
    const { ready, most } = pool.processesOf(voice)
    return speeds.expected(loadMeasure(voice)) * loadsBefore(ready, Math.min(most, tasks))
  })
  const narrow = voices.find((voice) => pool.processesOf(voice).most < workers)
  const lane = narrow && { name: engineKey(narrow), width: pool.processesOf(narrow).most }
  return { readyAtMs: performance.now() + Math.max(0, ...waits), lane }
}

/**
 * The delay of `wanted` processes, in model loads, when `ready` of them have the model. The others load it one after
 * the other while the ready ones work.
 */
function loadsBefore(ready: number, wanted: number): number {
  let loads = 0
  for (let working = ready; working < wanted; working++) loads += (wanted - working) / wanted
  return loads
}
