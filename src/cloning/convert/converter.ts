/**
 * The OpenVoice v2 tone color converter (Qin et al., "OpenVoice: Versatile Instant Voice Cloning", 2023). It extracts a
 * speaker embedding of 256 numbers from a voice and moves speech from one embedding to another. Language, words, melody
 * and rhythm stay. Contract: `OpenVoiceToneClone_ONNX` of https://github.com/season-studio/MeloTTS-ONNX.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Pcm } from '../../audio/pcm'
import type { Fields } from '../../fields'
import { parseJson } from '../../json'
import type { ModelFiles } from '../../speech/voice'
import {
  configurationFile,
  converterFile,
  extractorFile,
  fingerprintOf,
  readSpectrogramSettings,
  speakerEmbeddingSize,
} from './converter-pack'
import { openGraph } from '../../speech/onnx/graph'
import type { Feeds, Runtime, Session } from '../../speech/onnx/runtime'
import { samplesMin, spectrogram, transposed, type Spectrogram } from './spectrogram'

export type ToneConverter = {
  /** Sample rate of all input and output, Hz. */
  readonly sampleRate: number
  /** Embeddings are valid only for a converter with the same fingerprint; see `fingerprintOf`. */
  readonly fingerprint: string
  /**
   * The speaker embedding of the voice in `pcm`, 256 numbers. Throws `RangeError` at another rate, and on less than a
   * frame.
   */
  extract(pcm: Pcm): Promise<Float32Array>
  /**
   * Converts `pcm` from one speaker embedding to another; returns as many samples. `tau` is the noise temperature.
   * Throws `RangeError` at another rate.
   */
  convert(pcm: Pcm, from: ArrayLike<number>, to: ArrayLike<number>, tau?: number): Promise<Pcm>
}

/** OpenVoice's default. */
const tauByDefault = 0.3

/**
 * Longer sound is converted in pieces, because a run's memory grows with its length (measured in docs/cloning.md). A
 * frame depends on up to 109 frames on each side: 32 by the 16 layers of the encoder, 64 by the flow in both
 * directions, 13 by the decoder. With this margin the pieces equal a single run, except for their noise.
 */
const pieceFramesMax = 768
const contextFrames = 128
/** From the middle of a crossfade to its end. */
const fadeFrames = 8

/** Throws onnxruntime's errors for the graphs, and the errors of `readSpectrogramSettings`. */
export async function loadConverter({ directory }: ModelFiles, runtime: Runtime): Promise<ToneConverter> {
  const configuration = parseJson(await readFile(join(directory, configurationFile), 'utf8')) as Fields
  const settings = readSpectrogramSettings(configuration)
  const { sampleRate, hopLength } = settings
  const { session: extractor } = await openGraph(runtime, join(directory, extractorFile))
  const { session: converter } = await openGraph(runtime, join(directory, converterFile))

  function requireRate(pcm: Pcm): void {
    if (pcm.sampleRate !== sampleRate)
      throw new RangeError(`The converter takes ${sampleRate} Hz, not ${pcm.sampleRate} Hz.`)
  }

  async function convertPiece(
    { values, frames, bins }: Spectrogram,
    embeddings: Feeds,
    tau: number,
  ): Promise<Float32Array> {
    const samples = await runFor(converter, converterFile, {
      ...embeddings,
      audio: runtime.float32(values, [1, bins, frames]),
      audio_length: runtime.int64([frames], [1]),
      tau: runtime.float32(Float32Array.of(tau), [1]),
    })
    if (samples.length !== frames * hopLength)
      throw new Error(`${converterFile} gave ${samples.length} samples for ${frames} frames of ${hopLength}`)
    return samples
  }

  return {
    sampleRate,
    fingerprint: fingerprintOf(await readFile(join(directory, extractorFile))),

    async extract(pcm) {
      requireRate(pcm)
      const { values, frames, bins } = spectrogram(pcm.samples, settings)
      const speakerEmbedding = await runFor(extractor, extractorFile, {
        input: runtime.float32(values, [1, frames, bins]),
      })
      if (speakerEmbedding.length !== speakerEmbeddingSize)
        throw new Error(`${extractorFile} gave ${speakerEmbedding.length} numbers, not ${speakerEmbeddingSize}`)
      return speakerEmbedding
    },

    async convert(pcm, from, to, tau = tauByDefault) {
      requireRate(pcm)
      const { length } = pcm.samples
      if (length === 0) return pcm
      const padded = new Float32Array(Math.ceil(Math.max(length, samplesMin(settings)) / hopLength) * hopLength)
      padded.set(pcm.samples)
      const whole = spectrogram(padded, settings)
      const embeddings = {
        src_tone: runtime.float32(Float32Array.from(from), [1, speakerEmbeddingSize, 1]),
        dest_tone: runtime.float32(Float32Array.from(to), [1, speakerEmbeddingSize, 1]),
      }
      const out = new Float32Array(padded.length)
      for (const piece of pieces(whole.frames)) {
        const start = Math.max(0, piece.start - contextFrames)
        const part = framesOf(whole, start, Math.min(whole.frames, piece.end + contextFrames))
        const samples = await convertPiece({ ...part, values: transposed(part) }, embeddings, tau)
        addFaded(out, samples, start * hopLength, {
          start: piece.start * hopLength,
          end: piece.end * hopLength,
          fade: fadeFrames * hopLength,
        })
      }
      return { samples: out.subarray(0, length), sampleRate }
    },
  }
}

type Range = { readonly start: number; readonly end: number }

/** Consecutive pieces of about the same length. */
function pieces(frames: number): Range[] {
  const count = Math.ceil(frames / pieceFramesMax)
  const at = (i: number) => Math.round((i * frames) / count)
  return Array.from({ length: count }, (_, i) => ({ start: at(i), end: at(i + 1) }))
}

function framesOf({ values, bins }: Spectrogram, start: number, end: number): Spectrogram {
  return { values: values.subarray(start * bins, end * bins), frames: end - start, bins }
}

/**
 * Adds the part of `samples`, which begins at `at`, between `start` and `end` to `out`, with linear fades at both
 * borders except the ends of `out`.
 */
function addFaded(
  out: Float32Array,
  samples: Float32Array,
  at: number,
  { start, end, fade }: Range & { fade: number },
): void {
  const first = start === 0 ? 0 : start - fade
  const last = end === out.length ? end : end + fade
  for (let i = first; i < last; i++) {
    const rising = start === 0 ? 1 : (i - first + 0.5) / (2 * fade)
    const falling = end === out.length ? 1 : (last - i - 0.5) / (2 * fade)
    out[i]! += samples[i - at]! * Math.min(1, rising, falling)
  }
}

/** Runs the graph and returns its first output. Throws on values that are not finite. */
async function runFor(session: Session, file: string, feeds: Feeds): Promise<Float32Array> {
  const name = session.outputs[0]!.name
  const { [name]: tensor } = await session.run(feeds, [name])
  const values = tensor!.data as Float32Array
  if (!values.every(Number.isFinite)) throw new Error(`${file} gave numbers that are not finite`)
  return values
}
