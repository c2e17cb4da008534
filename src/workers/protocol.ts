/** The messages between the main process and a worker process: one task at a time, answered by chunks and an end. */
import type { DecodeLimits } from '../audio/decode/decode'
import type { Enrolment } from '../cloning/adapt/enrol'
import type { VoiceStatistics } from '../cloning/adapt/measure'
import type { Base, MeasuredVoices } from '../cloning/bases'
import type { Loadable, VoiceSpec } from '../speech/voice'
import type { TimedWord } from '../speech/engine'
import type { Pack } from '../speech/models/pack'

/** The longest run of samples in one message (0.5 MB), so that neither side's event loop is held for long. */
export const chunkFramesMax = 1 << 18

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

/** Sentences of one voice at one speed, in one run of its graph; each has an answer of its own in `items`. */
export type BatchTask = { readonly kind: 'batch'; readonly tasks: readonly SynthesizeTask[] }

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

/** Makes a voice from a recording; the answer carries the `enrolment`. With a converter in `by` it is a converted one. */
export type EnrolTask = {
  readonly kind: 'enrol'
  /** Mono; at most `chunkFramesMax` are a message that holds nobody up, so recordings are better resampled before. */
  readonly samples: Int16Array
  readonly sampleRate: number
  /** BCP 47, or undefined for a guess. */
  readonly language: string | undefined
  /** Which voices may be the base. */
  readonly bases: readonly Base[]
  /** Of those that are installed. */
  readonly measured: MeasuredVoices
  /** Whose worker does it: with that engine or model a base can be tuned, any other goes by its statistics. */
  readonly by: Loadable
}

/** Lets a voice speak, and measures it; the answer carries its `statistics`. */
export type MeasureTask = { readonly kind: 'measure'; readonly voice: VoiceSpec }

/** Decodes a recording and looks at what is in it; the answer carries `analyzed`, its samples come in chunks. */
export type AnalyzeTask = {
  readonly kind: 'analyze'
  /** Of the file: fifteen megabytes in a message would hold up everybody else. */
  readonly path: string
  readonly limits: DecodeLimits
}

/** Tries the pack in a folder; the answer carries what was `probed`. In a process of its own. */
export type ProbeTask = {
  readonly kind: 'probe'
  readonly directory: string
  /** What a model may need. */
  readonly memoryMaxBytes: number
}

/** `reason`: a sentence for the operator. */
export type Probed = { readonly pack: Pack } | { readonly reason: string }

/** Mono. */
export type Recording = {
  readonly samples: Int16Array
  readonly sampleRate: number
  readonly durationMs: number
  /** What to do better with the next one. */
  readonly warnings: readonly { readonly code: string; readonly message: string }[]
}

export type RefusalCode = 'unsupported_audio' | 'audio_parse_failed' | 'duration_exceeded'
export type Analyzed =
  | { readonly recording: Omit<Recording, 'samples'> }
  | { readonly refusal: { readonly code: RefusalCode; readonly message: string } }

export type Task =
  | SynthesizeTask
  | BatchTask
  | EncodeTask
  | EnrolTask
  | MeasureTask
  | AnalyzeTask
  | ProbeTask
  | { readonly kind: 'abandon'; readonly stream: number }
  | { readonly kind: 'warm'; readonly voice: VoiceSpec }
  | { readonly kind: 'load'; readonly voice: Loadable }
  /** Computes something with the provider that the process was started for. */
  | { readonly kind: 'try' }

/** Where in the pipeline a task failed; it decides the error that the caller sees. */
export type Stage = 'synthesize' | 'stretch' | 'resample' | 'encode' | 'enrol' | 'analyze'

/**
 * Why a text was not spoken that another text may be none the worse for: the voice says that it knows nothing in it, or
 * what it gave is silent or of an absurd length.
 */
export type Unspoken = 'unknown' | 'absent'

export type Answer =
  | {
      readonly ok: true
      /** Of a synthesized utterance, where its engine tells; times at the task's speed. */
      readonly words?: readonly TimedWord[]
      readonly bytes?: Uint8Array
      readonly headBytes?: number
      readonly head?: Uint8Array
      readonly enrolment?: Enrolment
      readonly statistics?: VoiceStatistics
      readonly analyzed?: Analyzed
      readonly probed?: Probed
      /** Of a trial of what computes: its fastest run. */
      readonly runMs?: number
      readonly items?: readonly Answer[]
    }
  | { readonly ok: false; readonly stage: Stage; readonly message: string; readonly unspoken?: Unspoken }

export type FromWorker =
  | { readonly type: 'ready' }
  /** The task has arrived. */
  | { readonly type: 'begun' }
  /** `item`: of a batch. */
  | { readonly type: 'chunk'; readonly samples: Int16Array; readonly item: number }
  | { readonly type: 'answer'; readonly answer: Answer }
