/** What a real-time factor means with the settings of a server, and how requests measure it. */
import { describe, expect, it } from 'bun:test'
import { limits } from '../../src/config'
import { adviceFor } from '../../src/packs/advice'
import type { Pack } from '../../src/speech/models/pack'
import type { VoiceSpec } from '../../src/speech/voice'
import { createAdmission } from '../../src/workers/admission'
import { measureOf, priorOf, soundMeasure, utteranceMeasure } from '../../src/workers/measures'
import { createPacing, type PaceSettings } from '../../src/workers/pace'
import type { Task } from '../../src/workers/protocol'
import { createSpeeds } from '../../src/workers/speeds'
import { createWork } from '../../src/workers/work'

const settings: PaceSettings = {
  ...{ workers: 2, cores: 2, threads: 1, ttsSecondsMax: 120, modelMemoryBytes: 4e9, provider: 'cpu' },
}
const model = { directory: '/packs/kokoro', graph: 'model.onnx', version: '1', memoryBytes: 500e6 }
const voice = {
  id: 'one',
  displayName: 'One',
  description: null,
  language: 'en-US',
  gender: null,
  settings: { voice: 'one' },
}
const pack: Pack = {
  ...{ name: 'kokoro', family: 'kokoro', model, sampleRate: 24_000, voices: [voice] },
  ...{ deterministic: true, timesWords: true, batches: false, sizeBytes: 1, license: null },
}

const rate = (realTimeFactor: number, changes: Partial<PaceSettings> = {}, of = pack) =>
  createPacing({ ...settings, ...changes }).rate(of, realTimeFactor)
const charactersMax = (...rated: Parameters<typeof rate>) => rate(...rated).pace!.charactersMax!
const specOf = ({ model }: Pack, language = 'en-US'): VoiceSpec => {
  return { id: 'one', engine: 'kokoro', language, sampleRate: 24_000, settings: voice.settings, model }
}

describe('a pack', () => {
  it('that does the longest allowed text in time is not slow', () => {
    expect(charactersMax(0.1)).toBe(limits.textCharactersMax)
    expect(adviceFor(rate(0.1))).toBeNull()
  })

  it('that does not is slow, and the advice says which length fits', () => {
    const slow = rate(3)
    expect(slow.pace!.charactersMax).toBeWithin(500, 1_500)
    expect(adviceFor(slow)).toContain(`up to about ${slow.pace!.charactersMax} characters`)
  })

  it('is told of a length in two digits', () => {
    for (const factor of [1.6, 3, 8, 40, 700]) expect(String(charactersMax(factor))).toMatch(/^\d{1,2}0*$/)
  })

  it('of unknown pace, and a converter, is not called slow', () => {
    expect(adviceFor(pack)).toBeNull()
    const converter = rate(50, {}, { ...pack, family: 'converter', voices: [] })
    expect([converter.pace!.charactersMax, adviceFor(converter)]).toEqual([null, null])
  })

  it('that cannot say a letter in time has no text that fits', () => {
    const hopeless = rate(5_000)
    expect(hopeless.pace!.charactersMax).toBe(0)
    expect(adviceFor(hopeless)).toStartWith('No text is done in time.')
  })

  it('has longer texts that fit with more workers and time, and shorter ones when they share cores or memory', () => {
    const usual = charactersMax(3)
    expect(charactersMax(3, { workers: 4, cores: 4 })).toBeGreaterThan(1.5 * usual)
    expect(charactersMax(3, { ttsSecondsMax: 60 })).toBeLessThan(0.6 * usual)
    // Four workers on two cores do no more than two.
    expect(charactersMax(3, { workers: 4 }) / usual).toBeWithin(0.7, 1.05)
    // There is memory for one process only.
    expect(charactersMax(3, { modelMemoryBytes: 600e6 })).toBeLessThan(0.6 * usual)
  })

  it('is told of a length that is admitted, while much longer texts are refused', () => {
    for (const factor of [1.6, 3, 8]) {
      const rated = rate(factor)
      const admit = (characters: number) => {
        const speeds = createSpeeds(priorOf)
        const admission = createAdmission({ workers: 2, placesMax: 10, horizonMs: 60_000, nowMs: () => 0 })
        const parts = Array.from({ length: Math.round(characters / 100) }, () => {
          return { task: utteranceMeasure(specOf(rated), 100, 1) }
        })
        return admission.admit({ key: 'a', deadlineAtMs: 120_000, work: createWork(speeds, { parts, nowMs: () => 0 }) })
      }
      expect(admit(rated.pace!.charactersMax!)).not.toHaveProperty('reason')
      expect(admit(1.8 * rated.pace!.charactersMax!)).toHaveProperty('reason', 'too_long')
    }
  })

  it('in Mandarin, whose characters take longer, has shorter texts that fit', () => {
    const mandarin = { ...pack, voices: [{ ...voice, language: 'zh-CN' }] }
    expect(charactersMax(3, {}, mandarin)).toBeLessThan(0.4 * charactersMax(3))
  })
})

describe('the conditions of a pace', () => {
  it('change with the settings that it depends on', () => {
    const conditionsOf = (changes: Partial<PaceSettings>) =>
      JSON.stringify(createPacing({ ...settings, ...changes }).conditions())
    const changes = [{}, { workers: 1 }, { threads: 2 }, { cores: 4 }, { ttsSecondsMax: 60 }, { provider: 'cuda' }]
    expect(new Set(changes.map(conditionsOf)).size).toBe(changes.length)
    expect(conditionsOf({})).toBe(conditionsOf({}))
  })
})

describe('the pace that requests measure', () => {
  function measured(milliseconds: number, tasks: number) {
    const speeds = createSpeeds(priorOf)
    const spec = specOf(rate(3))
    for (let i = 0; i < tasks; i++) {
      speeds.learn(utteranceMeasure(spec, 100, 1), milliseconds)
      speeds.learn(soundMeasure(spec, 100), 6.7)
    }
    return createPacing(settings).realTimeFactorOf([spec], speeds)
  }

  it('is unknown before three tasks', () => {
    expect(measured(2_000, 0)).toBeUndefined()
    expect(measured(2_000, 2)).toBeUndefined()
  })

  it('corrects the one of a probe, in both directions', () => {
    // A worker takes two seconds for 6.7 seconds of sound while the other one is busy.
    expect(measured(2_000, 40)).toBeWithin(0.2, 0.35)
    expect(measured(60_000, 40)).toBeWithin(6, 9)
  })

  it('that is remembered is the same to the next request', () => {
    const factor = measured(10_000, 40)!
    const spec = specOf(rate(factor))
    expect(createSpeeds(priorOf).expected(utteranceMeasure(spec, 100, 1)) / 10_000).toBeWithin(0.9, 1.1)
  })
})

describe('the expected time of a probed voice', () => {
  const expected = (spec: VoiceSpec, characters: number, speed: number) =>
    createSpeeds(priorOf).expected(utteranceMeasure(spec, characters, speed))

  it('is that of the probe, not that of its engine', () => {
    const [fast, slow] = [0.1, 4].map((factor) => expected(specOf(rate(factor)), 100, 1))
    expect(slow! / fast!).toBeCloseTo(40)
    expect(expected(specOf(pack), 100, 1)).toBe(priorOf('say kokoro').fixed + 100 * priorOf('say kokoro').each)
  })

  it('doubles at half the speed, because the sound is twice as long', () => {
    const spec = specOf(rate(3))
    expect(expected(spec, 200, 0.5) / expected(spec, 200, 1)).toBeWithin(1.9, 2)
    expect(expected(spec, 200, 2)).toBe(expected(spec, 200, 1))
  })

  it('grows for a Mandarin voice of the same model as its characters last', () => {
    const rated = rate(3)
    expect(expected(specOf(rated, 'zh-CN'), 100, 1) / expected(specOf(rated), 100, 1)).toBeGreaterThan(3)
  })

  it('grows in the tasks of cloning that speak with it', () => {
    const tasksOf = (of: VoiceSpec): Task[] => [
      { kind: 'measure', voice: of },
      {
        ...{ kind: 'enrol', samples: new Int16Array(1), sampleRate: 16_000, language: 'en' },
        bases: [],
        measured: {},
        by: of,
      },
    ]
    const expectedMs = (of: VoiceSpec) => tasksOf(of).map((task) => createSpeeds(priorOf).expected(measureOf(task)!))
    const flite: VoiceSpec = { ...specOf(pack), engine: 'flite', model: undefined }
    expect(expectedMs(specOf(pack))).toEqual(expectedMs(flite))
    for (const [index, ms] of expectedMs(specOf(rate(5))).entries())
      expect(ms).toBeGreaterThan(expectedMs(flite)[index]! + 30_000)
  })

  it('includes the tone converter of a clone, on a probed base and on a built-in one', () => {
    const [base, converter] = [rate(2), rate(0.5, {}, { ...pack, family: 'converter', voices: [] })]
    const conversion = { model: converter.model, to: [] }
    const flite: VoiceSpec = { ...specOf(pack), engine: 'flite', model: undefined, conversion }
    const plain = expected(specOf(base), 100, 1)
    expect(expected({ ...specOf(base), conversion }, 100, 1) / plain).toBeCloseTo(1.25)
    expect(expected(flite, 100, 1)).toBeGreaterThan((0.9 * plain) / 4)
    // Without a figure of the converter, the usual one counts.
    const unknown = { model: { ...model, directory: '/packs/converter' }, to: [] }
    expect(expected({ ...specOf(base), conversion: unknown }, 100, 1)).toBeGreaterThan(plain)
  })
})
