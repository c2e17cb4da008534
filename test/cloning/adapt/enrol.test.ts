import { beforeAll, describe, expect, it } from 'bun:test'
import { concatenate, type Pcm } from '../../../src/audio/pcm'
import { normalizeLoudness } from '../../../src/audio/loudness'
import { trimSilence } from '../../../src/audio/trim'
import { adapt, unchanged } from '../../../src/cloning/adapt/adapt'
import { adaptableVoiceIds, findAdaptableVoice } from '../../../src/cloning/adapt/adaptable-voices'
import { enrol, UnusableReference, type Enrolment } from '../../../src/cloning/adapt/enrol'
import { adaptationFor, type AdaptedProfile } from '../../../src/cloning/adapt/profile'
import { loadEngine } from '../../../src/speech/load-engine'
import type { EngineName, VoiceSpec } from '../../../src/speech/voice'
import type { SpeechEngine } from '../../../src/speech/engine'
import { readCatalogue } from '../../../src/voice/catalogue'
import { measureAdaptableVoice } from '../../../scripts/voice-statistics'
import manifest from '../../../voices/catalogue.json'
import { makeVoice } from '../../audio/analysis/voices'
import { noiseSource, speechLike } from '../../audio/signals'
import { compareVoices, measureLikeness } from '../../likeness'
import { wavFile } from '../../audio/files'
import { describeWith } from '../../tools'
import { countEachWordErrors, recogniserTools, sentences } from '../../words'

const catalogue = readCatalogue()
const bases: readonly VoiceSpec[] = catalogue.voices
let engines: Record<EngineName, SpeechEngine>
/** Speech of Angus, a voice that these tests exclude from the bases. */
let reference: Pcm
let made: Enrolment<AdaptedProfile>

const synthesize = (voice: VoiceSpec, text: string) => engines[voice.engine as EngineName].synthesize(voice, text)
const strangers = bases.filter(({ settings }) => settings.voice !== 'awb')
const sayAll = async (voice: VoiceSpec, texts: readonly string[]) => {
  const parts: Pcm[] = []
  for (const text of texts) parts.push(await synthesize(voice, text))
  return parts
}

beforeAll(async () => {
  engines = { flite: await loadEngine('flite'), espeak: await loadEngine('espeak') }
  reference = concatenate(await sayAll(catalogue.find('en-angus')!, sentences.slice(0, 4)))
  made = await enrol(reference, { language: 'en-GB', bases: strangers, synthesize })
})

const numbersIn = (value: unknown): number[] =>
  typeof value === 'number'
    ? [value]
    : value && typeof value === 'object'
      ? Object.values(value).flatMap(numbersIn)
      : []

function expectSound({ profile, base }: Enrolment<AdaptedProfile>): void {
  expect(numbersIn(profile).every(Number.isFinite)).toBe(true)
  const out = adapt(speechLike({ seconds: 1, sampleRate: 16_000 }), adaptationFor(profile, base))
  expect(out.samples.every(Number.isFinite)).toBe(true)
  expect(out.samples.some((value) => Math.abs(value) > 0.01)).toBe(true)
}

describe('enrolment', () => {
  it('makes a base voice more like the speaker in every respect', async () => {
    const base = catalogue.find(made.base)!
    const speaker = measureLikeness(concatenate(await sayAll(catalogue.find('en-angus')!, sentences.slice(8, 16))))
    const untouched = await sayAll(base, sentences.slice(8, 16))
    const adaptation = adaptationFor(made.profile, base.id)
    const before = compareVoices(measureLikeness(concatenate(untouched)), speaker)
    const after = compareVoices(measureLikeness(concatenate(untouched.map((part) => adapt(part, adaptation)))), speaker)
    expect(after.pitchSemitones).toBeLessThan(1)
    expect(after.ltasDb).toBeLessThan(0.7 * before.ltasDb)
    expect(after.cepstral).toBeLessThan(0.8 * before.cepstral)
    expect(after.harmonicityDb).toBeLessThan(Math.max(2, before.harmonicityDb))
  })

  it('chooses the speaker himself if he is among the bases', async () => {
    const own = await enrol(reference, { language: 'en', bases, synthesize })
    expect(own.base).toBe('en-angus')
    const { pitch, tractRatio } = adaptationFor(own.profile, own.base)
    expect(Math.abs(12 * Math.log2(pitch.toHz / pitch.fromHz))).toBeLessThan(1)
    expect(Math.abs(tractRatio - 1)).toBeLessThan(0.04)
  })

  it('gives the same profile bytes for the same recording', async () => {
    const again = await enrol(reference, { language: 'en-GB', bases: strangers, synthesize })
    expect(JSON.stringify(again)).toBe(JSON.stringify(made))
  })

  it('makes a profile of less than 16 KB that survives JSON and holds no audio', () => {
    const json = JSON.stringify(made.profile)
    expect(json.length).toBeLessThan(16_384)
    const read = JSON.parse(json) as AdaptedProfile
    expect(read).toEqual(made.profile)
    expect(read.version).toBe(1)
    for (const { id } of bases) expect(adaptationFor(read, id)).toEqual(adaptationFor(made.profile, id))
    expect(numbersIn(read).length).toBeLessThan(400)
  })

  it('keeps the given language and defaults to English', async () => {
    expect(made.language).toBe('en-GB')
    expect((await enrol(reference, { language: undefined, bases, synthesize })).language).toBe('en')
  })

  it('chooses a base of the language', async () => {
    for (const [language, prefix] of [
      ['zh-CN', 'zh-'],
      ['de', 'de-'],
      ['pt-BR', 'pt-'],
    ]) {
      const { base } = await enrol(reference, { language, bases, synthesize })
      expect(base).toStartWith(prefix!)
    }
    expect((await enrol(reference, { language: 'xx', bases, synthesize })).base).toBeString()
  })

  it('never chooses an adapted voice as the base', async () => {
    const adapted = bases.map((base) => ({ ...base, id: `${base.id}-2`, adaptation: unchanged }))
    expect((await enrol(reference, { language: 'en', bases: [...adapted, ...strangers], synthesize })).base).toBe(
      made.base,
    )
  })

  it('refuses silence, an empty recording and an empty list of bases with a reason', async () => {
    for (const samples of [new Float32Array(0), new Float32Array(40_000), new Float32Array(40_000).fill(NaN)]) {
      const attempt = enrol({ samples, sampleRate: 16_000 }, { language: 'en', bases, synthesize })
      await expect(attempt).rejects.toBeInstanceOf(UnusableReference)
    }
    await expect(enrol(reference, { language: 'en', bases: [], synthesize })).rejects.toThrow(
      'no voices can be adapted',
    )
  })

  const noise = noiseSource(8)
  const long = speechLike({ seconds: 15, sampleRate: 16_000 }).samples
  const sounds: [string, Float32Array, number][] = [
    ['noise', Float32Array.from({ length: 48_000 }, () => 0.5 * noise()), 16_000],
    ['0.3 s of a voice', makeVoice({ seconds: 0.3 }).samples, 16_000],
    ['one click', Float32Array.from({ length: 48_000 }, (_, i) => (i === 9000 ? 1 : 0)), 16_000],
    ['a constant', new Float32Array(48_000).fill(0.9), 16_000],
    ['a constant with a voice on it', makeVoice({ seconds: 3 }).samples.map((value) => value / 4 + 0.7), 16_000],
    ['clipped speech', long.map((value) => Math.max(-1, Math.min(1, 40 * value))), 16_000],
    ['gaps of NaN', long.map((value, i) => (i % 4000 < 10 ? NaN : value)), 16_000],
    ['a telephone', makeVoice({ seconds: 3, sampleRate: 8000 }).samples, 8000],
    ['a studio', makeVoice({ seconds: 3, sampleRate: 48_000 }).samples, 48_000],
    ['a whistle', makeVoice({ seconds: 3, f0At: () => 480 }).samples, 16_000],
  ]
  for (const [name, samples, sampleRate] of sounds)
    it(`makes a voice of ${name}`, async () => {
      expectSound(await enrol({ samples, sampleRate }, { language: 'en', bases, synthesize }))
    })
})

describe('the statistics of the base voices', () => {
  it('exist for every fallback voice and every catalogue voice that is not adapted', () => {
    const isNeural = ({ engine }: Pick<VoiceSpec, 'engine'>) => engine === 'hibari'
    const measured = [...bases.filter((base) => !base.adaptation && !isNeural(base)), ...manifest.fallbackVoices]
    expect(findAdaptableVoice('en-heart')).toBeUndefined()
    expect(measured.length).toBeGreaterThanOrEqual(67 + manifest.fallbackVoices.length)
    for (const { id, engine, settings } of measured) {
      const found = findAdaptableVoice(id)
      expect([id, found?.speaker]).toEqual([id, `${engine} ${settings.voice}`])
      expect(numbersIn(found).every(Number.isFinite)).toBe(true)
      expect(found!.statistics.pitchHz).toBeWithin(60, 300)
      expect(found!.statistics.envelope.mean.length).toBeGreaterThan(50)
      const adaptation = adaptationFor(made.profile, id)
      expect(adaptation).not.toEqual(unchanged)
      expect(numbersIn(adaptation).every(Number.isFinite)).toBe(true)
    }
    expect(adaptableVoiceIds.length).toBe(measured.length)
  })

  it('match a new measurement of the voices', async () => {
    for (const id of ['en-kevin', 'zh-jun', 'de-karl', 'script-th'])
      expect([id, await measureAdaptableVoice(engines, id)]).toEqual([id, findAdaptableVoice(id)!])
  })

  it('leave a voice without statistics unchanged', () => {
    expect(adaptationFor(made.profile, 'nobody')).toEqual(unchanged)
    expect(adaptationFor(made.profile, 'constructor')).toEqual(unchanged)
  })

  it('also bring a fallback voice of another language near the speaker', async () => {
    for (const id of ['zh-mei', 'de-karl']) {
      const voice = catalogue.find(id)!
      const spoken = await synthesize(voice, voice.demo)
      const speaker = measureLikeness(reference)
      const before = compareVoices(measureLikeness(spoken), speaker)
      const after = compareVoices(measureLikeness(adapt(spoken, adaptationFor(made.profile, id))), speaker)
      expect(after.pitchSemitones).toBeLessThan(1.5)
      expect(after.ltasDb).toBeLessThan(before.ltasDb)
    }
  })
})

describeWith(recogniserTools, 'the words of an adapted voice', () => {
  it('are understood nearly as well as those of its base', async () => {
    const base = catalogue.find(made.base)!
    const said = sentences.slice(0, 8)
    const untouched = (await sayAll(base, said)).map(trimSilence)
    const adaptation = adaptationFor(made.profile, base.id)
    const adapted = untouched.map((part) => adapt(part, adaptation))
    const renderings = [untouched, adapted].map((parts) => parts.map((part) => wavFile(normalizeLoudness(part))))
    const [before, after] = await countEachWordErrors(renderings, said)
    expect(after!.percent).toBeLessThan(before!.percent + 8)
  })
})
