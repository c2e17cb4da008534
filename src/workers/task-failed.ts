/** A task that a worker could not do. */
import type { Answer, Stage, Unspoken } from './protocol'
import type { TaskResult } from './worker-process'

/** `stage` says where in the pipeline. */
export class TaskFailed extends Error {
  override readonly name = 'TaskFailed'
  constructor(
    readonly stage: Stage,
    message: string,
    readonly unspoken?: Unspoken,
  ) {
    super(message)
  }
}

/** The answer of a task that was done. Throws `TaskFailed`. */
export function succeeded({ answer }: TaskResult): Extract<Answer, { ok: true }> {
  if (!answer.ok) throw new TaskFailed(answer.stage, answer.message, answer.unspoken)
  return answer
}
