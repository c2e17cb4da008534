/** The tone of a voice, from what it says; and sound as the converter gets it. */
import { normalizeLoudness } from '../../audio/loudness'
import { concatenate, type Pcm } from '../../audio/pcm'
import { resample } from '../../audio/resample'
import type { ToneConverter } from './converter'

/** At the converter's sample rate, and at one level: that of a recording says nothing of the voice in it. */
export function prepared(pcm: Pcm, sampleRate: number): Pcm {
  return normalizeLoudness(resample(pcm, sampleRate))
}

/** Shorter sounds tell little of a voice and are put together, seconds. */
const secondsMin = 1

/**
 * The mean of the tones of all `spoken`, as OpenVoice mixes them. Throws `RangeError` when there is less than a frame of
 * sound in all.
 */
export async function meanTone(converter: ToneConverter, spoken: readonly Pcm[]): Promise<Float32Array> {
  const sounds = spoken.map((pcm) => prepared(pcm, converter.sampleRate))
  const long = sounds.filter(({ samples, sampleRate }) => samples.length >= secondsMin * sampleRate)
  const tones: Float32Array[] = []
  for (const sound of long.length > 0 ? long : [concatenate(sounds)]) tones.push(await converter.extract(sound))
  return tones[0]!.map((_, k) => tones.reduce((sum, tone) => sum + tone[k]!, 0) / tones.length)
}
