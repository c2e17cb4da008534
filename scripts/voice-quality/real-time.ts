/**
 * The real-time factor of whole HTTP requests for a stored WAV file: seconds of waiting, and seconds of processor time in
 * the server and its workers, by the seconds of the sound. Other programs disturb the latter little.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { durationSeconds } from '../../src/audio/pcm'
import type { EphemeralSonant } from '../../test/executable/sonant'
import { readWav } from '../../test/sound'
import { median } from '../bench/report'
import type { Speaker } from './speakers'

const rounds = 5
/** No voice of eSpeak NG is English. Its German reads the same letters in as much time. */
const espeakVoice = 'de-karl'
/** Unit of the processor times in /proc. */
const ticksPerSecond = 100

type Round = { readonly waited: number; readonly worked: number }

/** Prints a row per speaker: medians over the rounds. All speakers take turns. Linux only. */
export async function measureRealTime(
  speakers: readonly Speaker[],
  sentences: readonly string[],
  sonant: EphemeralSonant,
): Promise<void> {
  const voices = speakers.map(({ name, voiceId }) => ({ name, id: voiceId ?? espeakVoice, all: [] as Round[] }))
  // The first round loads the models.
  for (let round = 0; round <= rounds; round++)
    for (const { id, all } of voices) {
      const measured = await measureRound(id, sentences, sonant)
      if (round > 0) all.push(measured)
    }
  for (const { name, all } of voices) {
    const [waited, worked] = [median(all.map((one) => one.waited)), median(all.map((one) => one.worked))]
    console.log(`${name.padEnd(10)} real-time factor ${waited.toFixed(3)}, processor time ${worked.toFixed(3)}`)
  }
}

async function measureRound(voice_id: string, sentences: readonly string[], sonant: EphemeralSonant): Promise<Round> {
  let [waited, audioSeconds] = [0, 0]
  const before = processorSeconds(sonant.process.pid)
  const urls: string[] = []
  for (const text of sentences) {
    const startedAtMs = performance.now()
    const response = await sonant.request('/api/v1/tts', { body: { text, voice_id, format: 'wav' } })
    urls.push(((await response.json()) as { url: string }).url)
    waited += (performance.now() - startedAtMs) / 1000
  }
  const worked = processorSeconds(sonant.process.pid) - before
  for (const url of urls) audioSeconds += durationSeconds(readWav(await (await fetch(url)).bytes()))
  return { waited: waited / audioSeconds, worked: worked / audioSeconds }
}

/** Processor time of a process and its children so far. */
function processorSeconds(pid: number): number {
  let ticks = 0
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const stat = readStat(name)
    // After the name of the program in brackets: state, parent, …; user and system time are the 14th and 15th field.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (Number(name) === pid || Number(fields[1]) === pid) ticks += Number(fields[11]) + Number(fields[12])
  }
  return ticks / ticksPerSecond
}

/** '' for a process that has ended. */
function readStat(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1')
  } catch {
    return ''
  }
}
