/** Turns the failure of a rendering into the caller's error. */
import type { AudioFormat } from '../audio/encode/encoder'
import { AppError } from '../errors'
import { JobEnded } from '../workers/job'
import type { Stage } from '../workers/protocol'
import { TaskFailed } from '../workers/task-failed'
import { WorkerGone } from '../workers/worker-process'

/** The caller's error for `error`. `timedOut`: whether the deadline of the request has passed. */
export function asRenderError(error: unknown, format: AudioFormat, timedOut: boolean): unknown {
  if (timedOut || (error instanceof WorkerGone && error.reason === 'timeout'))
    return new AppError('synthesis_timeout', 'The synthesis took too long; try again.', { cause: error })
  if (error instanceof JobEnded) return new AppError('client_gone', 'The client left before synthesis began.')
  if (error instanceof WorkerGone) return new AppError('synthesis_failed', failureMessages.synthesize, { cause: error })
  if (!(error instanceof TaskFailed)) return error
  const code = failureCode(error.stage, format)
  return new AppError(code, failureMessages[error.stage], { cause: error })
}

const failureMessages: Record<Stage, string> = {
  synthesize: 'The synthesis engine failed on this text; nothing was charged. Try again.',
  stretch: 'The audio could not be brought to the requested speed; nothing was charged. Try again.',
  resample: 'The audio could not be converted; nothing was charged. Try again.',
  encode: 'The audio could not be encoded; nothing was charged. Try again.',
  analyze: 'The recording could not be read; nothing was charged. Try again.',
  enrol: 'No voice could be made from the recording; nothing was charged. Try again.',
}

function failureCode(stage: Stage, format: AudioFormat) {
  if (stage === 'stretch') return 'speed_processing_failed'
  if (format === 'wav' && (stage === 'resample' || stage === 'encode')) return 'transcode_failed'
  return 'synthesis_failed'
}
