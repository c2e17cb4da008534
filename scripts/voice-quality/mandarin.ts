/** Mandarin: spans of pitch, length of a syllable, and English words between. */
import { durationSeconds, type Pcm } from '../../src/audio/pcm'
import { readWav } from '../../test/sound'
import { span, voicedHz } from './sound'
import type { Speaker } from './speakers'
import { mandarin, mixed } from './texts'

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
    for (const [text, without, words] of mixed) {
      const [whole, rest] = [readWav(await speak(text)), readWav(await speak(without))]
      const more = 1000 * (durationSeconds(whole) - durationSeconds(rest))
      console.log(`${name}: "${words}" inside a sentence lengthens it by ${more.toFixed(0)} ms`)
    }
  }
}

function semitones(hz: number, fromHz: number): number {
  return 12 * Math.log2(hz / fromHz)
}
