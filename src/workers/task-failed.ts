/** The error of a task that a worker could not complete. */
import type { Stage, TaskAnswers, TaskKind, TaskResult, UnspokenReason } from './protocol'

/** `stage` is the pipeline stage that failed. */
export class TaskFailed extends Error {
  override readonly name = 'TaskFailed'
  constructor(
    readonly stage: Stage,
    message: string,
    readonly unspoken?: UnspokenReason,
  ) {
    super(message)
  }
}

/** The answer of a successful task. Throws `TaskFailed`. */
export function succeeded<K extends TaskKind>({ outcome }: Pick<TaskResult<K>, 'outcome'>): TaskAnswers[K] {
  if (!outcome.ok) throw new TaskFailed(outcome.stage, outcome.message, outcome.unspoken)
  return outcome.answer
}
