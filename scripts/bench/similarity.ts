/**
 * The similarity of adapted voices to their speakers, on every recording in `../shared/speech/speakers`. The first 60 %
 * make the voice; it is compared with the last 40 %, which have other words. "before" is the base voice without
 * adaptation, "ceiling" the speaker against himself, and "aim" the adapted voice against the first 60 %. All figures
 * come from `test/likeness.ts`, which the adaptation does not use, and from pocketsphinx. Decodes with ffmpeg.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { createWavEncoder } from '../../src/audio/encode/wav'
import { normalizeLoudness } from '../../src/audio/loudness'
import { concatenate, type Pcm, toInt16 } from '../../src/audio/pcm'
import { trimSilence } from '../../src/audio/trim'
import { adapt } from '../../src/cloning/adapt/adapt'
import { enrol } from '../../src/cloning/adapt/enrol'
import { adaptationFor } from '../../src/cloning/adapt/profile'
import type { EngineName, VoiceSpec } from '../../src/speech/voice'
import { loadEngine } from '../../src/speech/load-engine'
import type { SpeechEngine } from '../../src/speech/engine'
import { readCatalogue } from '../../src/voice/catalogue'
import { compareVoices, type Difference, type Likeness, measureLikeness } from '../../test/likeness'
import { canRecognize, countWordErrors, sentences } from '../../test/words'
import { type BenchRow, median, printTable } from './report'

const folder = join(import.meta.dir, '..', '..', '..', 'shared', 'speech', 'speakers')
const sampleRate = 16_000
const referenceShare = 0.6

/** Everyday Mandarin sentences. */
const mandarinSentences = [
  '今天天气很好，我们一起去公园散步吧。',
  '请问，最近的地铁站怎么走？',
  '他每天早上七点起床，然后去学校上课。',
  '这本书我已经看了三遍，还是觉得很有意思。',
  '晚上我们打算在家里做饭，你想吃什么？',
]

type Compared = {
  speaker: string
  language: string
  base: string
  before: Difference
  after: Difference
  ceiling: Difference
  aim: Difference
  wordErrors: number | null
}

export async function benchSimilarity(): Promise<BenchRow[]> {
  const missing = [existsSync(folder) ? '' : folder, Bun.which('ffmpeg') ? '' : 'ffmpeg'].filter(Boolean).join(', ')
  if (missing) {
    console.error(`SKIPPED for want of ${missing}: similarity`)
    return [row(`similarity (no ${missing})`, null, '', 0)]
  }
  if (!canRecognize) console.error('SKIPPED for want of pocketsphinx: word errors of adapted voices')
  const studio = createStudio()
  const compared: Compared[] = []
  for (const file of [...new Glob('*').scanSync(folder)].sort()) {
    const found = await compare(studio, file)
    compared.push(found)
    console.log(describe(found))
  }
  return [...summarize('English', 'en', compared), ...summarize('Mandarin', 'zh', compared)]
}

type Studio = ReturnType<typeof createStudio>

/** Speaks the sentences once with each base voice. */
function createStudio() {
  const voices: readonly VoiceSpec[] = readCatalogue().voices
  const engines = new Map<EngineName, Promise<SpeechEngine>>()
  const spoken = new Map<string, Promise<{ parts: Pcm[]; likeness: Likeness }>>()

  async function synthesize(voice: VoiceSpec, text: string): Promise<Pcm> {
    const name = voice.engine as EngineName
    if (!engines.has(name)) engines.set(name, loadEngine(name))
    return (await engines.get(name)!).synthesize(voice, text)
  }

  async function speak(voice: VoiceSpec) {
    const parts: Pcm[] = []
    for (const text of voice.language.startsWith('zh') ? mandarinSentences : sentences)
      parts.push(trimSilence(await synthesize(voice, text)))
    return { parts, likeness: measureLikeness(concatenate(parts)) }
  }

  return {
    voices,
    synthesize,
    base(id: string) {
      if (!spoken.has(id)) spoken.set(id, speak(voices.find((voice) => voice.id === id)!))
      return spoken.get(id)!
    },
  }
}

async function compare(studio: Studio, file: string): Promise<Compared> {
  const recording = decode(join(folder, file))
  const cut = Math.floor(recording.samples.length * referenceShare)
  const reference: Pcm = { samples: recording.samples.slice(0, cut), sampleRate }
  const rest = measureLikeness({ samples: recording.samples.slice(cut), sampleRate })
  const language = file.slice(0, 2)
  const { synthesize, voices: bases } = studio
  const { profile, base } = await enrol(reference, { language, bases, synthesize })
  const { parts, likeness } = await studio.base(base)
  const adaptation = adaptationFor(profile, base)
  const adapted = parts.map((part) => adapt(part, adaptation))
  const made = measureLikeness(concatenate(adapted))
  const given = measureLikeness(reference)
  return {
    speaker: file.replace(/\..*/, ''),
    language,
    base,
    before: compareVoices(likeness, rest),
    after: compareVoices(made, rest),
    ceiling: compareVoices(given, rest),
    aim: compareVoices(made, given),
    wordErrors: language === 'en' && canRecognize ? await wordErrorsPercent(adapted) : null,
  }
}

function decode(path: string): Pcm {
  const { stdout, exitCode } = Bun.spawnSync(
    ['ffmpeg', '-v', 'error', '-i', path, '-ac', '1', '-ar', String(sampleRate), '-f', 'f32le', '-'],
    { stderr: 'inherit' },
  )
  if (exitCode !== 0) throw new Error(`ffmpeg could not decode ${path}.`)
  return { samples: new Float32Array(new Uint8Array(stdout).buffer), sampleRate }
}

async function wordErrorsPercent(adapted: Pcm[]): Promise<number> {
  const wavs = adapted.map((part) => wavFile(normalizeLoudness(part)))
  return (await countWordErrors(wavs, sentences)).percent
}

function wavFile(pcm: Pcm): Uint8Array {
  const encoder = createWavEncoder({ sampleRate: pcm.sampleRate })
  const body = encoder.append(toInt16(pcm.samples))
  return new Uint8Array(Buffer.concat([encoder.finish().head, body]))
}

const measures = [
  ['pitchSemitones', 'F0', 'st'],
  ['spreadSemitones', 'spread', 'st'],
  ['ltasDb', 'LTAS', 'dB'],
  ['harmonicityDb', 'HNR', 'dB'],
  ['cepstral', 'MFCC', ''],
] as const

/** Formats one line: each measure before → after (ceiling). */
function describe({ speaker, base, before, after, ceiling, wordErrors }: Compared): string {
  const cells = measures.map(([key, name]) =>
    `${name} ${before[key].toFixed(1)} → ${after[key].toFixed(1)} (${ceiling[key].toFixed(1)})`.padEnd(26),
  )
  const words = wordErrors === null ? '' : `words ${wordErrors.toFixed(1)} %`
  return `${speaker.padEnd(20)} ${base.padEnd(9)} ${cells.join(' ')} ${words}`
}

function summarize(name: string, language: string, all: Compared[]): BenchRow[] {
  const own = all.filter((compared) => compared.language === language)
  if (own.length === 0) return []
  const rows: BenchRow[] = []
  for (const [key, measure, unit] of measures) {
    const of = (kind: 'before' | 'after' | 'ceiling' | 'aim') => median(own.map((one) => one[kind][key]))
    const others = (['before', 'ceiling', 'aim'] as const).map((kind) => `${kind} ${of(kind).toFixed(2)}`).join(', ')
    const label = `${name}, speakers: ${own.length}, ${measure} error (${others})`
    rows.push(row(label, of('after'), unit, mostOf(language, key, of('before'))))
  }
  const words = own.flatMap(({ wordErrors }) => (wordErrors === null ? [] : [wordErrors]))
  if (words.length > 0) {
    rows.push(row(`${name}: word errors, median`, median(words), '%', 7))
    rows.push(row(`${name}: word errors, worst`, Math.max(...words), '%', 20))
  }
  return rows
}

/** The goals of the issue *Cloning*. */
function mostOf(language: string, key: (typeof measures)[number][0], before: number): number | undefined {
  if (key === 'pitchSemitones') return language === 'en' ? 1.2 : 3.3
  if (key === 'ltasDb') return 4.9
  if (key === 'harmonicityDb') return language === 'en' ? 1.8 : before
  return undefined
}

function row(name: string, value: number | null, unit: string, most: number | undefined): BenchRow {
  return { name, value, unit, reference: null, ratio: null, goal: null, ...(most === undefined ? {} : { most }) }
}

if (import.meta.main) printTable(await benchSimilarity())
