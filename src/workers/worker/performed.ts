/** The result of a task in a worker, and the report of a failure. */
import { NoSpeech, NothingToSay } from '../../speech/engine'
import type { Failure, Stage, TaskAnswers, TaskKind, UnspokenReason } from '../protocol'

/** The answer to a task, and the audio that goes before it in chunks. */
export type Performed<K extends TaskKind> = { readonly answer: TaskAnswers[K]; readonly samples?: Int16Array }

class StageError extends Error {
  constructor(
    readonly stage: Stage,
    cause: unknown,
  ) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

/** Runs `work`. Its error is reported as a failure of `stage`. */
export async function inStage<T>(stage: Stage, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new StageError(stage, error)
  }
}

/** An error outside all stages counts as a failure of the synthesis. */
export function failureOf(error: unknown): Failure {
  const stage = error instanceof StageError ? error.stage : 'synthesize'
  const message = error instanceof Error ? error.message : String(error)
  return { ok: false, stage, message, unspoken: unspokenReasonOf(error) }
}

function unspokenReasonOf(error: unknown): UnspokenReason | undefined {
  const cause = error instanceof StageError ? error.cause : error
  if (cause instanceof NothingToSay) return 'unknown'
  return cause instanceof NoSpeech ? 'absent' : undefined
}
