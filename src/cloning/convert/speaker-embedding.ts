/** The mean speaker embedding of several sounds, and the preparation of sound for the converter. */
import { normalizeLoudness } from '../../audio/loudness'
import { concatenate, type Pcm } from '../../audio/pcm'
import { resample } from '../../audio/resample'
import type { ToneConverter } from './converter'

/** Resamples to the converter's rate and normalizes the loudness, which does not characterize the voice. */
export function prepared(pcm: Pcm, sampleRate: number): Pcm {
  return normalizeLoudness(resample(pcm, sampleRate))
}

/** Shorter sounds give poor embeddings and are joined; seconds. */
const secondsMin = 1

/**
 * The mean speaker embedding of all `spoken`, as in OpenVoice. Throws `RangeError` with less than a frame of sound in
 * total.
 */
export async function meanSpeakerEmbedding(converter: ToneConverter, spoken: readonly Pcm[]): Promise<Float32Array> {
  const sounds = spoken.map((pcm) => prepared(pcm, converter.sampleRate))
  const long = sounds.filter(({ samples, sampleRate }) => samples.length >= secondsMin * sampleRate)
  const embeddings: Float32Array[] = []
  for (const sound of long.length > 0 ? long : [concatenate(sounds)]) embeddings.push(await converter.extract(sound))
  return embeddings[0]!.map((_, k) => embeddings.reduce((sum, embedding) => sum + embedding[k]!, 0) / embeddings.length)
}
