import { afterAll, beforeAll, describe, expect, it } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { concatenate, type Pcm } from '../../../src/audio/pcm'
import { UnusableReference } from '../../../src/cloning/adapt/enrol'
import { measureVoice } from '../../../src/cloning/adapt/measure'
import type { MeasuredVoices } from '../../../src/cloning/bases'
import { loadConverter, type ToneConverter } from '../../../src/cloning/convert/converter'
import { enrolConverted } from '../../../src/cloning/convert/enrol'
import { openRuntime } from '../../../src/speech/onnx/runtime'
import { readProfile } from '../../../src/cloning/profiles'
import { readCatalogue } from '../../../src/voice/catalogue'
import { makeVoice } from '../../audio/analysis/voices'
import { writeConverterPack } from '../../onnx/converter'
import type { VoiceSpec } from '../../../src/speech/voice'

const catalogue: readonly VoiceSpec[] = readCatalogue().voices
let directory: string
let converter: ToneConverter
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sonant-enrol-'))
  const runtime = await openRuntime({ directory, provider: 'cpu', threads: 1 })
  converter = await loadConverter(await writeConverterPack(directory), runtime)
})
afterAll(() => rm(directory, { recursive: true }))

const speaker = (hz: number) => makeVoice({ seconds: 4, f0At: (time) => hz * (1 + 0.1 * Math.sin(5 * time)) })
type Options = { language?: string; bases?: readonly VoiceSpec[]; measured?: MeasuredVoices }

function enrol(reference: Pcm, { language = 'en', bases = catalogue, measured = {} }: Options = {}) {
  return enrolConverted(reference, { language, bases, measured, converter })
}

/** Adds an installed voice with its statistics. */
function install(id: string, language: string, hz: number, gender: VoiceSpec['gender'] = null) {
  const base: VoiceSpec = {
    ...{ id, language, gender, engine: 'piper', sampleRate: 22_050, settings: { voice: id } },
    model: { directory: `/voices/${id}`, graph: 'x.onnx', version: '1', memoryBytes: 1 },
  }
  return { base, measured: { [id]: measureVoice(speaker(hz)) } }
}

describe('a converted voice', () => {
  it('has the speaker embedding of the speech in the recording', async () => {
    const { profile, language } = await enrol(speaker(120))
    expect([profile.version, language]).toEqual([2, 'en'])
    if (profile.version !== 2) return
    expect(profile).toMatchObject({ method: 'converted', converter: converter.fingerprint })
    expect(converter.fingerprint).toMatch(/^[0-9a-f]{64}$/)
    expect(profile.tone.length).toBe(256)
    expect(profile.tone.every((value) => value > 0 && Number.isFinite(value))).toBe(true)
    expect(Math.abs(profile.target.pitchHz / 120 - 1)).toBeLessThan(0.03)
  })

  it('has the same embedding at any level and with any silence around', async () => {
    const voice = speaker(120)
    const silence = { samples: new Float32Array(2 * voice.sampleRate), sampleRate: voice.sampleRate }
    const quiet = { ...voice, samples: voice.samples.map((value) => value / 30) }
    const tones: number[][] = []
    for (const recording of [voice, quiet, concatenate([silence, voice, silence])]) {
      const { profile } = await enrol(recording)
      if (profile.version === 2) tones.push([...profile.tone])
    }
    for (const tone of tones.slice(1))
      for (const [k, value] of tone.entries()) expect(value / tones[0]![k]!).toBeWithin(0.8, 1.25)
    const other = await enrol(speaker(240))
    expect(other.profile.version === 2 && other.profile.tone).not.toEqual(tones[0]!)
  })

  it('has the same small profile for the same recording, which reads back', async () => {
    const json = JSON.stringify((await enrol(speaker(150))).profile)
    expect(JSON.stringify((await enrol(speaker(150))).profile)).toBe(json)
    expect(json.length).toBeLessThan(4096)
    expect(JSON.stringify(readProfile(json))).toBe(json)
  })

  it('uses the base of its language and gender with the nearest pitch', async () => {
    for (const [hz, language, base] of [
      [100, 'en', 'en-ross'],
      [84, 'en-GB', 'en-kevin'],
      [172, 'en', 'en-clara'],
      [210, 'en', 'en-ivy'],
      [220, 'de', 'de-greta'],
      [95, 'de', 'de-karl'],
      [110, 'el', 'el-eleni'],
    ] as const)
      expect([hz, language, (await enrol(speaker(hz), { language })).base]).toEqual([hz, language, base])
    expect((await enrol(speaker(100), { language: 'xx' })).base).toBeString()
  })

  it('prefers the nearest measured installed voice of its language and gender', async () => {
    const [low, high, far, german] = [
      install('low', 'en-US', 90),
      install('high', 'en-US', 125),
      install('far', 'en-US', 230),
      install('german', 'de-DE', 110),
    ]
    const bases = [...catalogue, low.base, high.base, far.base, german.base]
    const measured = { ...low.measured, ...high.measured, ...far.measured, ...german.measured }
    const baseOf = async (hz: number, options: Options = {}) =>
      (await enrol(speaker(hz), { bases, measured, ...options })).base
    expect(await baseOf(95)).toBe('low')
    expect(await baseOf(120)).toBe('high')
    expect(await baseOf(200)).toBe('far')
    expect(await baseOf(120, { language: 'de' })).toBe('german')
    expect(await baseOf(200, { measured: { ...low.measured, ...high.measured } })).toBe('en-ivy')
    expect(await baseOf(120, { measured: {} })).toBe('en-angus')
  })

  it('trusts the declared gender of a voice more than its pitch', async () => {
    const woman = install('woman', 'en-US', 140, 'female')
    const options = { bases: [...catalogue, woman.base], measured: woman.measured }
    expect((await enrol(speaker(130), options)).base).toStartWith('en-')
    expect((await enrol(speaker(170), options)).base).toBe('woman')
  })

  it('is refused for silence and without a base voice', async () => {
    const silence = { samples: new Float32Array(40_000), sampleRate: 16_000 }
    await expect(enrol(silence)).rejects.toBeInstanceOf(UnusableReference)
    await expect(enrol(speaker(100), { bases: [] })).rejects.toBeInstanceOf(RangeError)
  })
})

describe('a profile that is read', () => {
  it('is refused when it is invalid or of a later version', () => {
    const tone = Array.from({ length: 256 }, (_, k) => k)
    const good = { version: 2, method: 'converted', converter: 'v', target: { pitchHz: 100 }, tone }
    expect(readProfile(JSON.stringify(good))).toEqual(good as never)
    for (const bad of [
      null,
      7,
      {},
      { ...good, version: 3 },
      { ...good, method: 'adapted' },
      { ...good, converter: 1 },
      { ...good, target: {} },
      { ...good, tone: tone.slice(1) },
      { ...good, tone: tone.map(() => null) },
      { version: 1, target: { pitchHz: 1 } },
    ])
      expect(() => readProfile(JSON.stringify(bad))).toThrow('not the profile of a voice')
  })
})
