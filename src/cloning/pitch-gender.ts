/** Whether a voice is a woman's or a man's, as far as its pitch tells. */

/**
 * Men's voices have their median pitch at 85 to 155 Hz, women's at 165 to 255 Hz (Baken and Orlikoff, 2000). A man who
 * shouts is taken for a woman; the vocal tract, as far as it can be measured here, would not tell him either.
 */
const femaleHzMin = 160

/** `pitchHz`: the median fundamental frequency, 0 where nothing was voiced. */
export function genderOfPitch(pitchHz: number): 'female' | 'male' {
  return pitchHz >= femaleHzMin ? 'female' : 'male'
}

/** How far apart two pitches are; 0 where one is not known. */
export function semitonesBetween(a: number, b: number): number {
  return a > 0 && b > 0 ? Math.abs(12 * Math.log2(a / b)) : 0
}
