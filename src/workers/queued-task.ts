/** Tasks that wait in the fair queue: what each needs, weighs, and can be done together with. */
import { engineKey, type Loadable } from '../speech/voice'
import type { EnrolTask, AnalyzeTask, MeasureTask, SynthesizeTask } from './protocol'

export type QueuedTask = SynthesizeTask | EnrolTask | MeasureTask | AnalyzeTask

/** What a process has to have loaded for the task, if anything. */
export function neededFor(task: QueuedTask): Loadable | undefined {
  if (task.kind === 'analyze') return undefined
  return task.kind === 'enrol' ? task.by : task.voice
}

/** What tasks of one batch have in common; undefined for one that is run alone. */
export function batchKeyOf(task: QueuedTask): string | undefined {
  if (task.kind !== 'synthesize' || !task.voice.batches || task.text === '' || task.fault) return undefined
  return `${task.voice.id} ${task.speed} ${engineKey(task.voice)}`
}

/** They weigh as much as a text of this length, which takes a worker about as long. */
const costs = { enrol: 1000, measure: 300, analyze: 100 }

/** In characters. */
export function costOf(task: QueuedTask): number {
  return task.kind === 'synthesize' ? task.text.length + 1 : costs[task.kind]
}
