/** The adapted voices of the catalogue: their parameters match their statistics, and their sound. */
import { beforeAll, describe, expect, it } from 'bun:test'
import { trackPitch } from '../../../src/audio/analysis/pitch'
import { percentile } from '../../../src/audio/analysis/percentile'
import { bandsHz } from '../../../src/audio/analysis/spectrum'
import { tractRatio } from '../../../src/audio/analysis/tract'
import { concatenate, type Pcm } from '../../../src/audio/pcm'
import { trimSilence } from '../../../src/audio/trim'
import { textsOf } from '../../../scripts/voice-texts'
import { adapt } from '../../../src/cloning/adapt/adapt'
import { findAdaptableVoice, toleranceOf } from '../../../src/cloning/adapt/adaptable-voices'
import { enrol } from '../../../src/cloning/adapt/enrol'
import { measureVoice, type VoiceStatistics } from '../../../src/cloning/adapt/measure'
import { loadEngine } from '../../../src/speech/load-engine'
import type { EngineName } from '../../../src/speech/voice'
import type { SpeechEngine } from '../../../src/speech/engine'
import { readCatalogue, type BuiltInVoice } from '../../../src/voice/catalogue'
import { sentences } from '../../words'

const { builtIn: voices } = readCatalogue()
const adapted = voices.filter(({ adaptation }) => adaptation)
const english = voices.filter(({ engine }) => engine === 'flite')
const mandarin = adapted.filter(({ language }) => language === 'zh-CN')
let engines: Record<EngineName, SpeechEngine>
beforeAll(async () => {
  engines = { flite: await loadEngine('flite'), espeak: await loadEngine('espeak') }
})

async function say(voice: BuiltInVoice, texts: readonly string[]): Promise<Pcm> {
  const parts: Pcm[] = []
  for (const text of texts) {
    const raw = trimSilence(await engines[voice.engine as EngineName].synthesize(voice, text))
    parts.push(voice.adaptation ? adapt(raw, voice.adaptation) : raw)
  }
  return concatenate(parts)
}

/** Distance of two pitches. */
const semitones = (a: number, b: number) => Math.abs(12 * Math.log2(a / b))

/** The statistics of an adapted voice's base. */
function baseOf({ engine, settings }: BuiltInVoice) {
  const base = voices.find((voice) => {
    return !voice.adaptation && voice.engine === engine && Bun.deepEquals(voice.settings, settings)
  })
  return base && findAdaptableVoice(base.id)
}

describe('the adaptations in the catalogue', () => {
  it('have a gain for every band, and parameters within the intelligible range', () => {
    expect(adapted.length).toBeGreaterThan(7)
    for (const voice of adapted) {
      const { voicedDb, unvoicedDb, pitch, tractRatio, harmonicityDb } = voice.adaptation!
      for (const gains of [voicedDb, unvoicedDb]) {
        expect([voice.id, gains.length]).toEqual([voice.id, bandsHz.length])
        for (const gain of gains) expect(gain).toBeWithin(-14, 14.1)
      }
      const { least, most } = toleranceOf({ speaker: `${voice.engine} ${voice.settings.voice}` })
      expect(tractRatio).toBeWithin(least, most + 0.001)
      expect(pitch.spread).toBeWithin(0.5, 2.2)
      expect(pitch.toHz).toBeWithin(75, 260)
      if (harmonicityDb !== null) expect(harmonicityDb).toBeWithin(8, 20)
    }
  })

  it('start from the pitch of the base voice', async () => {
    for (const voice of adapted) {
      const { fromHz } = voice.adaptation!.pitch
      const known = baseOf(voice)?.statistics
      const some = known ? [] : textsOf(voice.language).slice(0, 3)
      const { pitchHz } = known ?? measureVoice(await say({ ...voice, adaptation: undefined }, some))
      expect([voice.id, semitones(fromHz, pitchHz) < (known ? 0.1 : 1)]).toEqual([voice.id, true])
    }
  })

  it('are not bases for clones: a clone of their speech adapts the engine’s own voice', async () => {
    const voice = voices.find(({ id }) => id === 'en-nora')!
    const recording = await say(voice, sentences.slice(0, 1))
    const { base } = await enrol(recording, {
      language: 'en',
      bases: voices,
      synthesize: (base, text) => engines[base.engine as EngineName].synthesize(base, text),
    })
    expect(voices.find(({ id }) => id === base)!.adaptation).toBeUndefined()
    expect(findAdaptableVoice('en-nora')).toBeUndefined()
  })
})

describe('an adapted voice of the catalogue', () => {
  it('has its declared pitch and differs from all other voices with the same base', async () => {
    const heard = new Map<string, VoiceStatistics>()
    for (const voice of english) heard.set(voice.id, measureVoice(await say(voice, sentences.slice(1, 2))))
    for (const voice of english) {
      const own = heard.get(voice.id)!
      const { toHz } = voice.adaptation?.pitch ?? {}
      if (toHz) expect([voice.id, semitones(own.pitchHz, toHz) < 1.5]).toEqual([voice.id, true])
      for (const other of english) {
        if (other.id >= voice.id || other.settings.voice !== voice.settings.voice) continue
        const { pitchHz, envelope } = heard.get(other.id)!
        const { ratio } = tractRatio(own.envelope, envelope)
        expect([voice.id, other.id, semitones(own.pitchHz, pitchHz) > 1.7 || Math.abs(Math.log(ratio)) > 0.05]).toEqual(
          [voice.id, other.id, true],
        )
      }
    }
  })

  it('in Mandarin has a human pitch with a range wide enough for the tones', async () => {
    expect(mandarin.map(({ gender }) => gender)).toEqual(['female', 'male'])
    for (const voice of mandarin) {
      const { hz } = trackPitch(await say(voice, ['我们明天早上八点去北京大学看老师。', voice.demo]), pitchRange(voice))
      const voiced = hz.filter((value) => value > 0)
      expect(percentile(voiced, 0.5)).toBeWithin(
        ...((voice.gender === 'female' ? [195, 230] : [105, 130]) as [number, number]),
      )
      expect(12 * Math.log2(percentile(voiced, 0.95) / percentile(voiced, 0.05))).toBeGreaterThan(7)
    }
  })

  it('in Mandarin keeps the contour of each tone', async () => {
    for (const voice of mandarin) {
      const shape = async (syllable: string) => {
        const { hz } = trackPitch(await say(voice, [syllable]), pitchRange(voice))
        const voiced = hz.filter((value) => value > 0)
        const at = (share: number) => voiced[Math.floor(share * (voiced.length - 1))]!
        return [0.25, 0.5, 0.75].map((share) => 12 * Math.log2(at(share) / at(0.1))) as [number, number, number]
      }
      const [level, rising, dipping, falling] = [
        await shape('诗'),
        await shape('时'),
        await shape('史'),
        await shape('是'),
      ]
      expect(Math.max(...level.map(Math.abs))).toBeLessThan(1.2)
      expect(rising[2]).toBeGreaterThan(2)
      expect(rising[2]).toBeGreaterThan(rising[1] + 1)
      expect(Math.min(...dipping)).toBeLessThan(-1)
      expect(dipping[2]).toBeGreaterThan(dipping[1] + 1)
      expect(falling[2]).toBeLessThan(falling[1] - 2)
      expect(falling[2]).toBeLessThan(-4)
    }
  })
})

function pitchRange({ adaptation }: BuiltInVoice) {
  const { toHz } = adaptation!.pitch
  return { minHz: toHz / 2, maxHz: toHz * 2, stepSeconds: 0.005 }
}
