/** Real graphs in the executable: a neural vocoder behind a Piper front end, and the stub voice of piper1-gpl. */
import { afterAll, beforeAll, expect, it, setDefaultTimeout } from 'bun:test'
import { join } from 'node:path'
import { heavyPiperModel } from '../onnx/heavy'
import { piperConfig, writePiperPack } from '../onnx/piper'
import { peakOf, readWav } from '../sound'
import { describeWith } from '../tools'
import { startEphemeral, stopAndRemove, type EphemeralSonant } from './sonant'
import { drop, packsTried, type PackItem } from './voice-packs'

setDefaultTimeout(120_000)

const models = join(import.meta.dir, '../../../shared/models')
const vocoder = join(models, 'hifigan-v2-ljspeech/hifigan_v2_lj.onnx')
const stub = join(models, 'piper-samples/ohf_stub_test_voice.onnx')

describeWith([vocoder, stub], 'real graphs', () => {
  let sonant: EphemeralSonant
  let packs: Readonly<Record<string, PackItem>>
  beforeAll(async () => {
    sonant = await startEphemeral()
    const model = heavyPiperModel(await Bun.file(vocoder).bytes())
    const config = piperConfig({ hop_length: 256 })
    await drop(sonant.dataDirectory, 'heavy', (directory) => writePiperPack(directory, { model, config }))
    await drop(sonant.dataDirectory, 'stub', {
      'stub.onnx': await Bun.file(stub).bytes(),
      'stub.onnx.json': await Bun.file(`${stub}.json`).bytes(),
    })
    packs = await packsTried(sonant, ['heavy', 'stub'], sonant.adminKey)
  })
  afterAll(() => stopAndRemove(sonant))

  it('a vocoder speaks long texts with noise, the same every time, and at other speeds', async () => {
    expect(packs.heavy).toMatchObject({ state: 'ready', deterministic: true, times_words: true })
    const text = 'On 3 May 2024 she paid $5.20 for it. '.repeat(4).trim()
    const [voice] = packs.heavy!.voices
    const ask = (speed: number) => sonant.speak({ text, voice_id: voice, speed, format: 'wav' })
    const [one, again, faster] = await Promise.all([ask(1), ask(1), ask(1.5)])
    expect(again.audio).toEqual(one.audio)
    const seconds = ({ audio }: typeof one) => readWav(audio).samples.length / 44_100
    expect(seconds(one)).toBeGreaterThan(15)
    // Each id lasts whole frames, rounded up: 2, 3 and 4 frames become 2, 2 and 3.
    expect(seconds(one) / seconds(faster)).toBeWithin(1.1, 1.3)
    expect(peakOf(readWav(one.audio))).toBeWithin(0.2, 0.9)
  })

  it('the stub voice is refused as silent', () => {
    expect(packs.stub).toMatchObject({ state: 'refused', reason: expect.stringContaining('gave silence') })
  })
})
