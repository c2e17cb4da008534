/** A Piper voice copied into the directory of the running executable: found, used, kept, removed. */
import { afterAll, beforeAll, describe, expect, it, setDefaultTimeout } from 'bun:test'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pinyinIds } from '../speech/phonemes/pinyin-ids'
import { readWav } from '../sound'
import { expectError } from './expect-error'
import { startIn, type Sonant } from './sonant'
import { dropTones, hear, packsTried } from './voice-packs'
import { until } from '../until'

setDefaultTimeout(60_000)

/** The text, and its ids by sherpa-onnx: a row of test/speech/sherpa/piper-en-us.jsonl.zst. */
const text = 'brown the it psychology hour'
const table = join(import.meta.dir, '../speech/sherpa/piper-en-us.jsonl.zst')

let directory: string
let sonant: Sonant
let apiKey: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sonant-neural-piper-'))
  sonant = await startIn(directory)
  ;({ apiKey } = sonant)
})
afterAll(async () => {
  await sonant.stop()
  await rm(directory, { recursive: true })
})

const data = () => join(directory, 'data')
const restart = async () => {
  expect(await sonant.stop()).toBe(0)
  sonant = await startIn(directory, { apiKey })
}
type Voice = { id: string; featured: boolean } & Record<string, unknown>
const voices = async () => ((await (await sonant.request('/api/v1/voices')).json()) as { voices: Voice[] }).voices
const balance = async () => ((await (await sonant.request('/api/v1/balance')).json()) as { balance: number }).balance

async function idsBySherpa(spoken: string): Promise<number[]> {
  const lines = new TextDecoder()
    .decode(Bun.zstdDecompressSync(await Bun.file(table).bytes()))
    .trim()
    .split('\n')
  const rows = lines.map((line) => JSON.parse(line) as [string, number[][]])
  const runs = rows.find(([row]) => row === spoken)![1]
  expect(runs).toHaveLength(1)
  return runs[0]!
}

describe('a Piper voice of three speakers, dropped into the running server', () => {
  let ids: readonly string[]
  let first: Uint8Array

  it('adds three voices at the end of the list, without changing the default', async () => {
    const before = await voices()
    await dropTones(data(), 'en_US-three-medium', { speakers: 3 })
    const pack = (await packsTried(sonant, ['en_US-three-medium']))['en_US-three-medium']!
    expect(pack).toMatchObject({ state: 'ready', family: 'piper', times_words: true, deterministic: true })
    ids = pack.voices
    const after = await voices()
    expect(after.map(({ id }) => id)).toEqual([...before.map(({ id }) => id), ...ids])
    expect(ids).toHaveLength(3)
    expect(after.at(-1)).toMatchObject({ engine: 'piper', language: 'en-US', sample_rate: 22_050, deterministic: true })
  })

  it('receives the ids of sherpa-onnx, the speaker, and the speed as length scale', async () => {
    const expected = await idsBySherpa(text)
    for (const [speaker, speed] of [
      [0, 1],
      [2, 1.5],
      [1, 0.75],
    ] as const) {
      const { answer, audio, run } = await hear(sonant, { text, voice_id: ids[speaker], speed })
      expect(answer).toMatchObject({ voice_id: ids[speaker], units: text.length })
      expect(run).toEqual({ ids: expected, speaker, lengthScale: 1 / speed, noiseScale: 0.67, noiseWidth: 0.8 })
      if (speaker === 2) first = audio
    }
  })

  it('receives numbers and money as words, and leaves other scripts to fallback voices', async () => {
    const spoken = async (said: string) => (await hear(sonant, { text: said, voice_id: ids[0] })).run.ids
    expect(await spoken('3 cats for $5.')).toEqual(await spoken('three cats for five dollars.'))
    const wav = async (said: string) =>
      readWav((await sonant.speak({ text: said, voice_id: ids[0], format: 'wav' })).audio).samples.length
    expect(await wav('Hello. 你好，我们去公园。')).toBeGreaterThan((await wav('Hello.')) + 44_100)
  })

  it('gives the same bytes for the same request, also right after a restart', async () => {
    const again = async () => (await hear(sonant, { text, voice_id: ids[2], speed: 1.5 })).audio
    expect(await again()).toEqual(first)
    await restart()
    expect((await voices()).slice(-3).map(({ id }) => id)).toEqual([...ids])
    expect(sonant.log()).not.toContain('pack ready')
    expect(await again()).toEqual(first)
  })

  it('speaks in mp3 too, and renders its demo on the first request', async () => {
    const { audio } = await sonant.speak({ text, voice_id: ids[0] })
    expect(audio.length).toBeGreaterThan(5_000)
    const demo = await fetch(((await voices()).at(-3) as unknown as { demo_url: string }).demo_url)
    expect([demo.status, demo.headers.get('content-type')]).toEqual([200, 'audio/mpeg'])
  })

  it('disappears with its folder without charges, and returns with its settings and plans', async () => {
    const admin = (method: string, path: string, body?: unknown) =>
      sonant.request(`/api/v1/admin${path}`, { method, body })
    const group = { name: 'gold', voices: [ids[1]!] }
    const { id: groupId } = (await (await admin('POST', '/groups', group)).json()) as { id: string }
    expect((await admin('PATCH', `/voices/${ids[0]}`, { featured: true })).status).toBe(200)
    expect((await admin('PATCH', `/voices/${ids[2]}`, { active: false })).status).toBe(200)
    const folder = join(data(), 'voices/en_US-three-medium')
    await rename(folder, join(directory, 'away'))
    await until(async () => !(await voices()).some(({ id }) => ids.includes(id)))
    const before = await balance()
    for (const id of ids)
      await expectError(sonant.request('/api/v1/tts', { body: { text, voice_id: id } }), 404, 'voice_not_found')
    expect(await balance()).toBe(before)

    await rename(join(directory, 'away'), folder)
    await until(async () => (await voices()).some(({ id }) => id === ids[0]))
    const own = (await voices()).filter(({ id }) => ids.includes(id))
    expect(own).toMatchObject([{ id: ids[0], featured: true }, { id: ids[1] }])
    await expectError(sonant.request('/api/v1/tts', { body: { text, voice_id: ids[2] } }), 403, 'voice_disabled')
    const { items } = (await (await admin('GET', '/groups')).json()) as { items: { id: string; voices: string[] }[] }
    expect(items.find(({ id }) => id === groupId)!.voices).toEqual([ids[1]!])
  })
})

describe('a Piper voice of pinyin', () => {
  it('receives the phonemes of the tests of piper1-gpl (tests/test_chinese_phonemizer.py)', async () => {
    const ids = Object.fromEntries(pinyinIds)
    const config = { phoneme_type: 'pinyin', phoneme_id_map: ids, language: { code: 'zh_CN' } }
    await dropTones(data(), 'zh_CN-pinyin-medium', {}, config)
    const pack = (await packsTried(sonant, ['zh_CN-pinyin-medium']))['zh_CN-pinyin-medium']!
    expect([pack.state, pack.reason]).toEqual(['ready', null])
    const { run } = await hear(sonant, { text: '卡尔普陪外孙玩滑梯。', voice_id: pack.voices[0] })
    expect(run.ids).toEqual([
      1, 0, 13, 27, 66, 0, 3, 62, 66, 0, 5, 49, 66, 0, 5, 31, 65, 0, 26, 30, 67, 0, 24, 55, 64, 0, 26, 34, 65, 0, 14,
      50, 65, 0, 9, 39, 64, 0, 69, 0, 2,
    ])
  })
})
