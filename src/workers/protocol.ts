/** The messages between the main process and a worker: one task at a time, answered by chunks and one answer. */
import type { DecodeLimits } from '../audio/decode/decode'
import type { Enrolment } from '../cloning/adapt/enrol'
import type { VoiceStatistics } from '../cloning/adapt/measure'
import type { Base, MeasuredVoices } from '../cloning/bases'
import type { Loadable, VoiceSpec } from '../speech/voice'
import type { TimedWord } from '../speech/engine'
import type { Pack } from '../speech/models/pack'

/** Most samples in one message (0.5 MB), so that a message blocks neither event loop for long. */
export const chunkFramesMax = 1 << 18

export type SynthesizeTask = {
  readonly kind: 'synthesize'
  readonly voice: VoiceSpec
  /** Normalized text; for an empty one the answer is the pause alone. */
  readonly text: string
  /** Letters and digits in `text`, and speakable signs. The expected length of the audio depends on both counts. */
  readonly letters: number
  readonly symbols: number
  /** Sample rate of the answer, Hz. */
  readonly sampleRate: number
  readonly speed: number
  /** Silence after the speech, in milliseconds at speed 1. */
  readonly pauseMs: number
  /** Fault to inject into this task. */
  readonly fault?: string
}

/** Sentences of one voice at one speed, run through its graph together. `items` holds one answer per sentence. */
export type BatchTask = { readonly kind: 'batch'; readonly tasks: readonly SynthesizeTask[] }

/** The log's message for an injected fault. */
export const faultMessage = 'fault on demand'

export type EncodeTask = {
  readonly kind: 'encode'
  /** Number of the MP3 stream; an unknown number opens a stream. */
  readonly stream: number
  readonly sampleRate: number
  readonly samples: Int16Array
  /** Ends the stream; the answer then holds the head of the file. */
  readonly last: boolean
}

/** Makes a voice from a recording: a converted one if `by` has a converter. The answer holds the `enrolment`. */
export type EnrolTask = {
  readonly kind: 'enrol'
  /** Mono. More than `chunkFramesMax` samples block the event loop for long, so resample long recordings first. */
  readonly samples: Int16Array
  readonly sampleRate: number
  /** BCP 47; undefined to guess it. */
  readonly language: string | undefined
  /** Voices that may be the base. */
  readonly bases: readonly Base[]
  /** Statistics of the installed voices. */
  readonly measured: MeasuredVoices
  /** Engine or model of the worker. It can tune its own voices as bases; other bases are judged by their statistics. */
  readonly by: Loadable
}

/** Synthesizes a text with a voice and measures it. The answer holds the `statistics`. */
export type MeasureTask = { readonly kind: 'measure'; readonly voice: VoiceSpec }

/** Decodes and analyzes a recording. The answer holds `analyzed`; the samples come in chunks. */
export type AnalyzeTask = {
  readonly kind: 'analyze'
  /** Path of the file. Sending its bytes (up to 15 MB) would block the event loop. */
  readonly path: string
  readonly limits: DecodeLimits
}

/** Probes the pack in a folder, in an isolated process. The answer holds `probed`. */
export type ProbeTask = {
  readonly kind: 'probe'
  readonly directory: string
  /** Most memory that a model may need. */
  readonly memoryMaxBytes: number
}

/** `reason`: why the pack is bad, as a sentence for the operator. */
export type Probed = { readonly pack: Pack } | { readonly reason: string }

/** A decoded recording; mono samples. */
export type Recording = {
  readonly samples: Int16Array
  readonly sampleRate: number
  readonly durationMs: number
  /** Advice for a better recording. */
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
  /** Runs a trial computation with the provider of this process. */
  | { readonly kind: 'try' }

/** The pipeline stage that failed. It decides the error that the caller sees. */
export type Stage = 'synthesize' | 'stretch' | 'resample' | 'encode' | 'enrol' | 'analyze'

/**
 * Why a voice did not speak a text, though it may speak others. `unknown`: it knows no symbol of the text. `absent`:
 * its audio is silent or of an implausible length.
 */
export type Unspoken = 'unknown' | 'absent'

export type Answer =
  | {
      readonly ok: true
      /** Word times of an utterance at the task's speed, if its engine reports them. */
      readonly words?: readonly TimedWord[]
      readonly bytes?: Uint8Array
      readonly headBytes?: number
      readonly head?: Uint8Array
      readonly enrolment?: Enrolment
      readonly statistics?: VoiceStatistics
      readonly analyzed?: Analyzed
      readonly probed?: Probed
      /** Fastest run of a trial. */
      readonly runMs?: number
      readonly items?: readonly Answer[]
    }
  | { readonly ok: false; readonly stage: Stage; readonly message: string; readonly unspoken?: Unspoken }

export type FromWorker =
  | { readonly type: 'ready' }
  /** The task has arrived. */
  | { readonly type: 'begun' }
  /** `item`: index in the batch. */
  | { readonly type: 'chunk'; readonly samples: Int16Array; readonly item: number }
  | { readonly type: 'answer'; readonly answer: Answer }
