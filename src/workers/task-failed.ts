/** The error of a task that a worker could not complete. */
import type { Answer, Stage, Unspoken } from './protocol'
import type { TaskResult } from './worker-process'

/** `stage` is the pipeline stage that failed. */
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

/** The answer of a successful task. Throws `TaskFailed`. */
export function succeeded({ answer }: TaskResult): Extract<Answer, { ok: true }> {
  if (!answer.ok) throw new TaskFailed(answer.stage, answer.message, answer.unspoken)
  return answer
}
