/** How much of a voice is tone and how much is breath. */
import type { PitchTrack } from './pitch'
import { percentile } from './spectrum'

/** 20 dB stands for a share of 0.99; above 40 dB the window, not the voice, decides. */
const shareMin = 0.01
const shareMax = 0.9999

/**
 * The median harmonics-to-noise ratio of the voiced frames in dB (Boersma 1993: r / (1 − r), r being the share of power
 * that repeats); 0 for a sound that has none.
 */
export function harmonicityDb({ hz, strength }: PitchTrack): number {
  const values: number[] = []
  for (const [frame, value] of strength.entries()) {
    if (!(hz[frame]! > 0)) continue
    const share = Math.max(shareMin, Math.min(shareMax, value))
    values.push(10 * Math.log10(share / (1 - share)))
  }
  return percentile(values, 0.5)
}
