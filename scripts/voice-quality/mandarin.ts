/** Mandarin: spans of pitch, length of a syllable, the contours of the tones, and English words between. */
import { durationSeconds, type Pcm } from '../../src/audio/pcm'
import { readWav } from '../../test/sound'
import { middle, span, voicedHz } from './sound'
import type { Speaker } from './speakers'
import { mandarin, mixed, tones } from './texts'

export async function measureMandarin(speakers: readonly Speaker[]): Promise<void> {
  for (const { name, speak } of speakers) {
    const sounds: Pcm[] = []
    for (const text of mandarin) sounds.push(readWav(await speak(text)))
    const spans = sounds.map((pcm) => {
      const sorted = voicedHz(pcm).toSorted((a, b) => a - b)
      return semitones(sorted[Math.floor(0.95 * (sorted.length - 1))]!, sorted[Math.floor(0.05 * (sorted.length - 1))]!)
    })
    const perSyllable = sounds.map(
      (pcm, i) => (1000 * durationSeconds(pcm)) / mandarin[i]!.match(/\p{Script=Han}/gu)!.length,
    )
    console.log(`${name}: pitch span ${span(spans)} semitones; ${span(perSyllable, 0)} ms per syllable`)
    await printContours(name, speak)
    for (const [text, without, words] of mixed) {
      const [whole, rest] = [readWav(await speak(text)), readWav(await speak(without))]
      const more = 1000 * (durationSeconds(whole) - durationSeconds(rest))
      console.log(`${name}: "${words}" inside a sentence lengthens it by ${more.toFixed(0)} ms`)
    }
  }
}

/** At a quarter, half and three quarters of the voiced part, in semitones from a tenth; medians over the syllables. */
async function printContours(name: string, speak: Speaker['speak']): Promise<void> {
  for (const tone of [0, 1, 2, 3]) {
    const contours: number[][] = []
    for (const syllables of tones) {
      const hz = voicedHz(readWav(await speak(`${syllables[tone]}。`)))
      const at = (share: number) => hz[Math.floor(share * (hz.length - 1))]!
      contours.push([0.25, 0.5, 0.75, 0.9].map((share) => semitones(at(share), at(0.1))))
    }
    const medians = [0, 1, 2, 3].map((point) => middle(contours.map((contour) => contour[point]!)).toFixed(1))
    console.log(`${name}: tone ${tone + 1}: ${medians.join(', ')} semitones`)
  }
}

function semitones(hz: number, fromHz: number): number {
  return 12 * Math.log2(hz / fromHz)
}
