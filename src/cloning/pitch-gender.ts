/** Guesses the gender of a voice from its pitch. */
import type { Gender } from '../speech/voice'

/**
 * Men's median pitch is 85 to 155 Hz, women's 165 to 255 Hz (Baken and Orlikoff, 2000). A man who shouts counts as a
 * woman; the vocal tract, as measured here, does not tell them apart either.
 */
const femaleHzMin = 160

/** `pitchHz`: the median fundamental frequency; 0 without voiced sound. */
export function genderOfPitch(pitchHz: number): Gender {
  return pitchHz >= femaleHzMin ? 'female' : 'male'
}

/** The distance of two pitches; 0 when one is unknown. */
export function semitonesBetween(a: number, b: number): number {
  return a > 0 && b > 0 ? Math.abs(12 * Math.log2(a / b)) : 0
}
