/** The cost of an adapted voice on one core: enrolment from 15 s of audio, and the real-time factor. */
import { concatenate, durationSeconds, type Pcm } from '../../src/audio/pcm'
import { adapt } from '../../src/cloning/adapt/adapt'
import { enrol, type Enrolment } from '../../src/cloning/adapt/enrol'
import { adaptationFor, type AdaptedProfile } from '../../src/cloning/adapt/profile'
import type { EngineName, VoiceSpec } from '../../src/speech/voice'
import { loadEngine } from '../../src/speech/load-engine'
import { readCatalogue } from '../../src/voice/catalogue'
import { sentences } from '../../test/words'
import { textsOf } from '../voice-texts'
import { untilQuiet } from './quiet'
import { type BenchRow, median, printTable } from './report'

const rounds = 5
const referenceSeconds = 15
const enrolmentSecondsMost = 2
/** 20 times faster than real time. */
const realTimeFactorMost = 0.05

export async function benchAdapt(): Promise<BenchRow[]> {
  const engines = { flite: await loadEngine('flite'), espeak: await loadEngine('espeak') }
  const catalogue = readCatalogue()
  const bases: readonly VoiceSpec[] = catalogue.voices
  const synthesize = (voice: VoiceSpec, text: string) => engines[voice.engine as EngineName].synthesize(voice, text)
  // The cost does not depend on the speaker, so Fergus is made from Clara's speech.
  const reference = await speakFor(referenceSeconds, (text) => synthesize(catalogue.find('en-fergus')!, text))
  const others = bases.filter(({ settings }) => settings.voice !== 'awb')

  const enrolment: number[] = []
  let made!: Enrolment<AdaptedProfile>
  for (let round = 0; round < rounds; round++) {
    await untilQuiet()
    const startedAtMs = performance.now()
    made = await enrol(reference, { language: 'en', bases: others, synthesize })
    enrolment.push((performance.now() - startedAtMs) / 1000)
  }
  const rows = [
    row(`enrolment of ${referenceSeconds} s, first`, enrolment[0]!, 's', enrolmentSecondsMost),
    row(`enrolment of ${referenceSeconds} s, median`, median(enrolment), 's', enrolmentSecondsMost),
  ]
  for (const [id, texts] of [
    [made.base, sentences],
    ['zh-mei', textsOf('zh')],
  ] as const) {
    const voice = catalogue.find(id)!
    const adaptation = adaptationFor(made.profile, id)
    const speak = async (text: string) => adapt(await synthesize(voice, text), adaptation)
    rows.push(row(`real-time factor of ${id}, adapted`, await realTimeFactor(texts, speak), 's/s', realTimeFactorMost))
  }
  return rows
}

/** Speaks sentences and cuts them at `seconds`. */
async function speakFor(seconds: number, speak: (text: string) => Promise<Pcm>): Promise<Pcm> {
  const parts: Pcm[] = []
  for (let i = 0; parts.reduce((sum, part) => sum + durationSeconds(part), 0) < seconds; i++)
    parts.push(await speak(sentences[i]!))
  const { samples, sampleRate } = concatenate(parts)
  return { samples: samples.slice(0, seconds * sampleRate), sampleRate }
}

/** Returns the median over rounds, after one warm-up round. */
async function realTimeFactor(texts: readonly string[], speak: (text: string) => Promise<Pcm>): Promise<number> {
  const factors: number[] = []
  for (let round = 0; round <= rounds; round++) {
    const startedAtMs = performance.now()
    let audioSeconds = 0
    for (const text of texts) audioSeconds += durationSeconds(await speak(text))
    factors.push((performance.now() - startedAtMs) / 1000 / audioSeconds)
  }
  return median(factors.slice(1))
}

function row(name: string, value: number, unit: string, most: number): BenchRow {
  return { name, value, unit, reference: null, ratio: null, goal: null, most }
}

if (import.meta.main) printTable(await benchAdapt())
