/** The real-time factor: seconds of a whole HTTP request for a stored WAV file, by the seconds of its sound. */
import { durationSeconds } from '../../src/audio/pcm'
import type { EphemeralSonant } from '../../test/executable/sonant'
import { readWav } from '../../test/sound'
import { median } from '../bench/report'
import type { Speaker } from './speakers'

const rounds = 5
/** No voice of eSpeak NG is English. Its German reads the same letters in as much time. */
const espeakVoice = 'de-karl'

/** Prints a row per speaker: the median round, and the fastest. All speakers take turns. */
export async function measureRealTime(
  speakers: readonly Speaker[],
  sentences: readonly string[],
  sonant: EphemeralSonant,
): Promise<void> {
  const voices = speakers.map(({ name, voiceId }) => ({ name, id: voiceId ?? espeakVoice, factors: [] as number[] }))
  // The first round loads the models.
  for (let round = 0; round <= rounds; round++)
    for (const { id, factors } of voices) {
      let [seconds, audioSeconds] = [0, 0]
      for (const text of sentences) {
        const startedAtMs = performance.now()
        const response = await sonant.request('/api/v1/tts', { body: { text, voice_id: id, format: 'wav' } })
        const { url } = (await response.json()) as { url: string }
        seconds += (performance.now() - startedAtMs) / 1000
        audioSeconds += durationSeconds(readWav(await (await fetch(url)).bytes()))
      }
      if (round > 0) factors.push(seconds / audioSeconds)
    }
  for (const { name, factors } of voices)
    console.log(
      `${name.padEnd(10)} real-time factor ${median(factors).toFixed(4)} (fastest round ${Math.min(...factors).toFixed(4)})`,
    )
}
