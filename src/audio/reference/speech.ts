/** Removes the silence from a recording, for analyses of the voice alone. */
import { fadeIn, fadeOut } from '../fade'
import { concatenate, type Pcm } from '../pcm'
import { frameSeconds, framesAbove, frameStepSeconds, loudPower, measureBands, noisePower } from './bands'

/** Power of speech: at least this factor above the noise, and not further than this below the loud frames. */
const aboveNoise = 3
const belowLoud = 1e-3
const fadeSeconds = 0.005

/**
 * The speech in `pcm` end to end, each piece faded at both ends. Gaps up to 0.3 s stay. Returns all of `pcm` without
 * speech.
 */
export function keepSpeech(pcm: Pcm): Pcm {
  const { samples, sampleRate } = pcm
  const powers = measureBands(pcm)
  const isSpeech = framesAbove(powers, Math.max(loudPower(powers) * belowLoud, aboveNoise * noisePower(powers)))
  const pieces: Pcm[] = []
  const step = Math.round(frameStepSeconds * sampleRate)
  for (let frame = 0; frame < isSpeech.length; frame++) {
    if (!isSpeech[frame]) continue
    const first = frame
    while (isSpeech[frame + 1]) frame++
    const piece = samples.slice(first * step, frame * step + Math.round(frameSeconds * sampleRate))
    fadeIn(piece, Math.round(fadeSeconds * sampleRate))
    fadeOut(piece, Math.round(fadeSeconds * sampleRate))
    pieces.push({ samples: piece, sampleRate })
  }
  return pieces.length > 0 ? concatenate(pieces) : pcm
}
