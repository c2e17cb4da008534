/** Tasks of the fair queue: the engine or model that each needs, its cost, and its batch key. */
import { engineKey, type Loadable } from '../speech/voice'
import type { Task } from './protocol'

export type QueuedKind = 'synthesize' | 'enrol' | 'measure' | 'analyze'
export type QueuedTask = Task<QueuedKind>

/** The engine or model that a process must load for the task; undefined: none. */
export function neededFor(task: QueuedTask): Loadable | undefined {
  if (task.kind === 'analyze') return undefined
  return task.kind === 'enrol' ? task.by : task.voice
}

/** Tasks with the same key may share a batch; undefined: run unbatched. */
export function batchKeyOf(task: QueuedTask): string | undefined {
  if (task.kind !== 'synthesize' || !task.voice.batches || task.text === '' || task.fault) return undefined
  return `${task.voice.id} ${task.speed} ${engineKey(task.voice)}`
}

/** Length of a text that takes a worker about as long. */
const costs = { enrol: 1000, measure: 300, analyze: 100 }

/** Cost in characters. */
export function costOf(task: QueuedTask): number {
  return task.kind === 'synthesize' ? task.text.length + 1 : costs[task.kind]
}
