/** Kokoro in all layouts, KittenTTS and VITS with a lexicon: probed, listed and used by the executable. */
import { afterAll, beforeAll, describe, expect, it, setDefaultTimeout } from 'bun:test'
import { readWav } from '../sound'
import { sherpaNames } from '../onnx/kokoro'
import { decodeStyleTones, decodeVitsTones, styleTonesModel, vitsTonesModel } from '../onnx/tones-kin'
import {
  type Files,
  hexgradPack,
  kittenPack,
  kokoroOnnxPack,
  kokoroVocabulary,
  onnxCommunityPack,
  sherpaKittenMetadata,
  sherpaKittenPack,
  sherpaMetadata,
  sherpaPack,
} from '../speech/models/style-packs'
import { hasEnglishReading } from '../../src/speech/phonemes/english-reading'
import { probeText } from '../../src/packs/probe-texts'
import { startEphemeral, stopAndRemove, type EphemeralSonant } from './sonant'
import { drop, packsTried, type PackItem } from './voice-packs'

setDefaultTimeout(120_000)

const chinese = { model_type: 'vits', comment: 'fanchen', language: 'Chinese', n_speakers: 2, sample_rate: 16_000 }
const sentence = '你好，世界。'
/** Every character of a text is a word of two phonemes. */
const characters = [...new Set(`${probeText('zh')}${sentence}`.replace(/[，。]/gu, ''))]
const idsOf = new Map(['_', '，', '。', ...characters].map((token, id) => [token, id]))
const vitsPack: Files = {
  'model.onnx': vitsTonesModel({ ...chinese, punctuation: '， 。' }),
  'tokens.txt': [...idsOf].map(([token, id]) => `${token} ${id}\n`).join(''),
  'lexicon.txt': characters.map((character) => `${character} ${character} ${character}\n`).join(''),
}

const packs: Readonly<Record<string, Files>> = {
  'kokoro-community': { ...onnxCommunityPack, 'onnx/model.onnx': styleTonesModel() },
  'kokoro-sherpa': { ...sherpaPack, 'model.onnx': styleTonesModel({ names: sherpaNames, metadata: sherpaMetadata }) },
  'kokoro-release': { ...kokoroOnnxPack, 'kokoro-v1.0.onnx': styleTonesModel({ names: sherpaNames }) },
  kitten: { ...kittenPack, 'kitten_tts_nano_v0_8.onnx': styleTonesModel() },
  'kitten-sherpa': { ...sherpaKittenPack, 'model.onnx': styleTonesModel({ metadata: sherpaKittenMetadata }) },
  // Its graph returns the duration of each symbol.
  'kokoro-hexgrad': hexgradPack,
  'vits-zh': vitsPack,
}

let sonant: EphemeralSonant
let tried: Readonly<Record<string, PackItem>>
beforeAll(async () => {
  sonant = await startEphemeral()
  for (const [name, files] of Object.entries(packs)) await drop(sonant.dataDirectory, name, files)
  tried = await packsTried(sonant, Object.keys(packs), sonant.adminKey)
})
afterAll(() => stopAndRemove(sonant))

async function hear(voice: string, text: string, speed = 1) {
  const { answer, audio } = await sonant.speak({ text, voice_id: voice, speed, format: 'wav' })
  expect(answer).toMatchObject({ voice_id: voice })
  return readWav(audio)
}

describe('packs copied into the directory of the running executable', () => {
  it.each([
    ['kokoro-community', 'kokoro', 3, 'apache-2.0'],
    ['kokoro-hexgrad', 'kokoro', 3, null],
    ['kokoro-sherpa', 'kokoro', 3, null],
    ['kokoro-release', 'kokoro', 3, null],
    ['kitten', 'kitten', 2, 'apache-2.0'],
    ['kitten-sherpa', 'kitten', 2, null],
    ['vits-zh', 'vits', 2, null],
  ])('%s is ready: family %s, %i voices, licence %s', (name, family, count, license) => {
    const { voices, ...pack } = tried[name]!
    expect(pack).toMatchObject({
      state: 'ready',
      reason: null,
      family,
      license,
      expected_memory_bytes: expect.any(Number),
    })
    expect(voices).toHaveLength(count)
  })

  it('say who reads English', () => {
    const reading = hasEnglishReading() ? 'misaki' : 'espeak'
    expect(tried['kokoro-community']!.english_reading).toBe(reading)
    expect(tried['vits-zh']!.english_reading).toBeNull()
  })

  it.each(['kokoro-community', 'kokoro-sherpa', 'kokoro-release'])(
    'voices of %s receive their style, the speed and the phonemes of misaki',
    async (name) => {
      const symbols = new Map(Object.entries(kokoroVocabulary).map(([symbol, id]) => [id, symbol]))
      for (const [index, voice] of tried[name]!.voices.entries()) {
        const run = decodeStyleTones(await hear(voice, 'Hello.', index === 0 ? 1 : 1.25))
        const said = run.ids
          .slice(1, -1)
          .map((id) => symbols.get(id))
          .join('')
        expect([run.ids[0], run.ids.at(-1)]).toEqual([0, 0])
        const [phonemes, speed] = [
          ['həlˈO.', 1],
          ['həlˈQ.', 1.25],
          ['ɛlˈo.', 1.25],
        ][index] as [string, number]
        // The row of the style for this number of phonemes.
        expect([said, run.speed, run.row, run.speaker]).toEqual([phonemes, speed, phonemes.length - 1, index])
      }
    },
  )

  it.each(['kitten', 'kitten-sherpa'])(
    'voices of %s receive their style, and the speed times their own',
    async (name) => {
      for (const [index, voice] of tried[name]!.voices.entries()) {
        const run = decodeStyleTones(await hear(voice, 'Hello.', 1.25))
        // Relative to 0.8, from the configuration of this pack.
        expect([run.speaker, run.speed]).toEqual([index, voice === 'kitten-bella' ? 1 : 1.25])
        // KittenTTS drops the end of the sound.
        expect(run.ids.slice(0, 4)).toEqual([0, 50, 83, 54])
      }
    },
  )

  it('voices whose graph returns durations speak too, the same every time', async () => {
    for (const voice of tried['kokoro-hexgrad']!.voices) {
      const first = await hear(voice, 'Good morning to you.')
      expect((await hear(voice, 'Good morning to you.')).samples).toEqual(first.samples)
    }
  })

  it('a VITS voice with a lexicon speaks Mandarin: phonemes by the lexicon, marks, speaker and speed', async () => {
    const expected = ['你', '你', '好', '好', '，', '世', '世', '界', '界', '。'].map((token) => idsOf.get(token)!)
    for (const [speaker, voice] of tried['vits-zh']!.voices.entries())
      for (const speed of [1, 1.5]) {
        const run = decodeVitsTones(await hear(voice, sentence, speed))
        expect(run).toEqual({ ids: expected, lengthScale: 1 / speed, speaker, noiseScale: 0.67, noiseWidth: 0.8 })
      }
  })

  it('loaded models are listed with their memory', async () => {
    const { models } = await sonant.admin('/compute')
    expect(models.length).toBeGreaterThan(0)
    for (const { processes, memory_bytes } of models) {
      expect(processes).toBeGreaterThan(0)
      expect(memory_bytes).toBeGreaterThan(20e6)
    }
    expect((await sonant.admin('/packs')).items.some(({ loaded }: PackItem) => loaded !== null)).toBe(true)
  })
})
