/** The ratio of harmonics to aspiration noise in a voice. */
import { percentile } from './percentile'
import type { PitchTrack } from './pitch'

/** A share of 0.99 is 20 dB. Above 40 dB the analysis window dominates, not the voice. */
const shareMin = 0.01
const shareMax = 0.9999

/**
 * The median harmonics-to-noise ratio of the voiced frames in dB (Boersma 1993: r / (1 − r), where r is the periodic
 * share of the power); 0 without voiced frames.
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
