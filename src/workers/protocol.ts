/** The messages between the main process and a worker: one task at a time, answered by chunks and one answer. */
import type { DecodeLimits } from '../audio/decode/decode'
import type { CodedFormat } from '../audio/encode/encoder'
import type { Enrolment } from '../cloning/adapt/enrol'
import type { VoiceStatistics } from '../cloning/adapt/measure'
import type { MeasuredVoices } from '../cloning/bases'
import type { ConvolutionForm, Loadable, VoiceSpec } from '../speech/voice'
import type { TimedWord } from '../speech/engine'
import type { Pack } from '../speech/models/pack'

/** Most samples in one message (0.5 MB), so that a message blocks neither event loop for long. */
export const chunkFramesMax = 1 << 18

/** The fields of each kind of task. */
type TaskFields = {
  /** Synthesizes one utterance. Its audio comes in chunks. */
  synthesize: {
    readonly voice: VoiceSpec
    /** Normalized text; for an empty one the audio is the pause alone. */
    readonly text: string
    /** Letters and digits in `text`, and speakable signs. The expected length of the audio depends on both counts. */
    readonly letters: number
    readonly symbols: number
    /** Sample rate of the audio, Hz. */
    readonly sampleRate: number
    readonly speed: number
    /** Silence after the speech, in milliseconds at speed 1. */
    readonly pauseMs: number
    /** Fault to inject into this task. */
    readonly fault?: string
  }

  /** Utterances of one voice at one speed, run through its graph together. */
  batch: { readonly tasks: readonly SynthesizeTask[] }

  /** Encodes the next samples of a stream. */
  encode: {
    /** Number of the stream; an unknown number opens a stream. */
    readonly stream: number
    readonly format: CodedFormat
    readonly sampleRate: number
    readonly samples: Int16Array
    /** Ends the stream. */
    readonly last: boolean
  }

  /** Drops a stream of encoded audio. */
  abandon: { readonly stream: number }

  /** Makes a voice from a recording: a converted one if `by` has a converter. */
  enrol: {
    /** Mono. More than `chunkFramesMax` samples block the event loop for long, so resample long recordings first. */
    readonly samples: Int16Array
    readonly sampleRate: number
    /** BCP 47; undefined to guess it. */
    readonly language: string | undefined
    /** Voices that may be the base. */
    readonly bases: readonly VoiceSpec[]
    /** Statistics of the installed voices. */
    readonly measured: MeasuredVoices
    /**
     * Engine or model of the worker. It can tune its own voices as bases; other bases are judged by their statistics.
     */
    readonly by: Loadable
  }

  /** Synthesizes a text with a voice and measures it. */
  measure: { readonly voice: VoiceSpec }

  /** Decodes and analyzes a recording. Its samples come in chunks. */
  analyze: {
    /** Path of the file. Sending its bytes (up to 15 MB) would block the event loop. */
    readonly path: string
    readonly limits: DecodeLimits
  }

  /** Probes the pack in a folder, in an isolated process. */
  probe: {
    readonly directory: string
    /** Most memory that a model may need. */
    readonly memoryMaxBytes: number
    /** Form of the model's convolutions; undefined: the task chooses it, and ends if there is a choice. */
    readonly convolutions?: ConvolutionForm
  }

  /** Loads what the voice needs. */
  load: { readonly voice: Loadable }

  /** Loads the voice and synthesizes a word with it. */
  warm: { readonly voice: VoiceSpec }

  /** Runs a trial computation with the provider of this process. */
  try: unknown
}

/** The answer to each kind of successful task. */
export type TaskAnswers = {
  synthesize: {
    /** Word times at the task's speed; undefined if the engine reports none. */
    readonly words: readonly TimedWord[] | undefined
  }
  /** One outcome per utterance. */
  batch: readonly TaskOutcome<'synthesize'>[]
  encode: EncodedChunk
  abandon: undefined
  enrol: Enrolment
  measure: VoiceStatistics
  analyze: AnalyzedRecording
  probe: Probed
  load: undefined
  warm: undefined
  try: {
    /** Fastest run of the computation. */
    readonly runMs: number
  }
}

export type TaskKind = keyof TaskAnswers

/** A task of kind `K`; of any kind without `K`. */
export type Task<K extends TaskKind = TaskKind> = { [P in K]: { readonly kind: P } & TaskFields[P] }[K]

export type SynthesizeTask = Task<'synthesize'>

/** The log's message for an injected fault. */
export const faultMessage = 'fault on demand'

/** Bytes of a stream of encoded audio. */
export type EncodedChunk = {
  /** The bytes that follow those of the earlier chunks. */
  readonly bytes: Uint8Array
  /** Length of the file's head, which stands before all bytes. */
  readonly headBytes: number
  /** The head of the file; undefined until the stream ends. */
  readonly head: Uint8Array | undefined
}

/**
 * `reason`: why the pack is bad, as a sentence for the operator. `convolutions`: the form in which the pack must be probed
 * by another process.
 */
export type Probed =
  | { readonly pack: Pack; readonly realTimeFactor: number }
  | { readonly reason: string }
  | { readonly convolutions: ConvolutionForm }

/** A decoded recording; mono samples. */
export type Recording = {
  readonly samples: Int16Array
  readonly sampleRate: number
  readonly durationMs: number
  /** Advice for a better recording. */
  readonly warnings: readonly { readonly code: string; readonly message: string }[]
}

export type RefusalCode = 'unsupported_audio' | 'audio_parse_failed' | 'duration_exceeded'
export type RefusedRecording = { readonly refusal: { readonly code: RefusalCode; readonly message: string } }
export type AnalyzedRecording = { readonly recording: Omit<Recording, 'samples'> } | RefusedRecording

/** The pipeline stage that failed. It decides the error that the caller sees. */
export type Stage = 'synthesize' | 'stretch' | 'resample' | 'encode' | 'enrol' | 'analyze'

/**
 * Why a voice did not speak a text, though it may speak others. `unknown`: it knows no symbol of the text. `absent`:
 * its audio is silent or of an implausible length.
 */
export type UnspokenReason = 'unknown' | 'absent'

export type Failure = {
  readonly ok: false
  readonly stage: Stage
  readonly message: string
  readonly unspoken?: UnspokenReason
}

/** The end of a task of kind `K`. */
export type TaskOutcome<K extends TaskKind = TaskKind> =
  { readonly ok: true; readonly answer: TaskAnswers[K] } | Failure

export type FromWorker =
  | { readonly type: 'ready' }
  /** The task has arrived. */
  | { readonly type: 'begun' }
  /** `item`: index of the utterance in the batch; 0 in any other task. */
  | { readonly type: 'chunk'; readonly samples: Int16Array; readonly item: number }
  | { readonly type: 'ended'; readonly outcome: TaskOutcome }

/** `chunks[item]`: the audio of each utterance of a batch; any other task has one item at most. */
export type TaskResult<K extends TaskKind = TaskKind> = {
  readonly outcome: TaskOutcome<K>
  readonly chunks: readonly (readonly Int16Array[])[]
}
