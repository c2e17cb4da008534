/** The messages between the main process and a worker process: one task at a time, answered by portions and an end. */
import type { Enrolment } from './adapt/enrol'
import type { VoiceSpec, EngineName } from './engine'

/** The longest run of samples in one message (0.5 MB), so that neither side's event loop is held for long. */
export const portionFramesMax = 1 << 18

export type SynthesizeTask = {
  readonly kind: 'synthesize'
  readonly voice: VoiceSpec
  /** The normalized reading; with an empty one the answer is the pause alone. */
  readonly text: string
  /** Letters and digits in `text`, and signs that may be spoken; the length of the sound is judged by them. */
  readonly letters: number
  readonly symbols: number
  /** Of the answer, Hz. */
  readonly sampleRate: number
  readonly speed: number
  /** Silence after the speech, at speed 1. */
  readonly pauseMs: number
  /** A fault on demand in this task. */
  readonly fault?: string
}

/** What the log says of a fault on demand. */
export const faultMessage = 'fault on demand'

export type EncodeTask = {
  readonly kind: 'encode'
  /** Names an open mp3 stream of this worker; a new one opens it. */
  readonly stream: number
  readonly sampleRate: number
  readonly samples: Int16Array
  /** Ends the stream; the answer then carries the head of the file. */
  readonly last: boolean
}

/** Makes a voice from a recording; the answer carries the `enrolment`. */
export type EnrolTask = {
  readonly kind: 'enrol'
  /** Mono; at most `portionFramesMax` are a message that holds nobody up, so recordings are better resampled before. */
  readonly samples: Int16Array
  readonly sampleRate: number
  /** BCP 47, or undefined for a guess. */
  readonly language: string | undefined
  /** Which voices may be the base. */
  readonly bases: readonly VoiceSpec[]
}

export type Task =
  | SynthesizeTask
  | EncodeTask
  | EnrolTask
  | { readonly kind: 'abandon'; readonly stream: number }
  | { readonly kind: 'warm'; readonly engine: EngineName; readonly voice: VoiceSpec }

/** Where in the pipeline a task failed; it decides the error that the caller sees. */
export type Stage = 'synthesize' | 'stretch' | 'resample' | 'encode' | 'enrol'

export type Answer =
  | {
      readonly ok: true
      readonly bytes?: Uint8Array
      readonly headBytes?: number
      readonly head?: Uint8Array
      readonly enrolment?: Enrolment
    }
  | { readonly ok: false; readonly stage: Stage; readonly message: string }

export type FromWorker =
  | { readonly type: 'ready' }
  /** The task has arrived. */
  | { readonly type: 'begun' }
  | { readonly type: 'portion'; readonly samples: Int16Array }
  | { readonly type: 'answer'; readonly answer: Answer }
