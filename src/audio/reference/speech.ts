/** Taking the silence out of a recording, for what only the voice in it matters to. */
import { fadeIn, fadeOut } from '../fade'
import { concatenate, type Pcm } from '../pcm'
import { frameSeconds, framesAbove, frameStepSeconds, loudPower, measureBands, noisePower } from './bands'

/** What counts as speech is that far, in power, above the noise, and not that far below the loud frames. */
const aboveNoise = 3
const belowLoud = 1e-3
const fadeSeconds = 0.005

/** The speech in `pcm` end to end, each piece from zero to zero; gaps up to 0.3 s stay. All of it where none is found. */
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
