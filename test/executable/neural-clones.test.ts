/** Clones by tone conversion, from the executable: before, with and after an installed converter. */
import { afterAll, beforeAll, describe, expect, it, setDefaultTimeout } from 'bun:test'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { writeConverterPack } from '../onnx/converter'
import { writePiperPack } from '../onnx/piper'
import { hummingModel } from '../onnx/tones'
import { medianPitchHz, readWav } from '../sound'
import { wavOf } from './recordings'
import { query } from './books'
import { expectError } from './expect-error'
import { runSonant, startEphemeral, stopAndRemove, type EphemeralSonant } from './sonant'
import { drop, packsTried } from './voice-packs'
import { until } from '../until'

setDefaultTimeout(120_000)

const english = 'The weather will be warm and sunny for the rest of the week.'
const mandarin = '你好，我们明天去公园。'
type Voice = Record<string, unknown> & { id: string; method: string }

let sonant: EphemeralSonant
let recording: Uint8Array
beforeAll(async () => {
  sonant = await startEphemeral()
  recording = (await sonant.speak({ text: `${english} ${english}`, voice_id: 'en-clara', format: 'wav' })).audio
})
afterAll(() => stopAndRemove(sonant))

async function clone(file: Uint8Array): Promise<Voice> {
  const form = new FormData()
  form.append('name', 'Somebody')
  form.append('file', new Blob([Buffer.from(file)]), 'recording.wav')
  const headers = { authorization: `Bearer ${sonant.apiKey}` }
  const response = await fetch(`${sonant.baseUrl}/api/v1/voices/clone`, { method: 'POST', headers, body: form })
  const answer = (await response.json()) as { voice: Voice }
  if (response.status !== 200) throw new Error(JSON.stringify(answer))
  return answer.voice
}
const listed = async () => {
  const { voices } = (await (await sonant.request('/api/v1/voices')).json()) as { voices: Voice[] }
  return voices.filter(({ id }) => id.startsWith('cv-'))
}
const balance = async () => ((await (await sonant.request('/api/v1/balance')).json()) as { balance: number }).balance
const say = async (id: string, text: string) => {
  const { audio, answer } = await sonant.speak({ text, voice_id: id, format: 'wav' })
  expect(answer).toMatchObject({ voice_id: id, units: text.length })
  return audio
}
/** The same sound in other bytes. */
const quieter = (file: Uint8Array) => wavOf(readWav(file).samples.map((value) => value * 0.8))

describe('clones by tone conversion', () => {
  let adapted: Voice
  let converted: Voice
  let before: Uint8Array

  it('a clone is adapted while no converter is installed', async () => {
    adapted = await clone(recording)
    expect(adapted.method).toBe('adapted')
    before = await say(adapted.id, english)
  })

  it('with a converter dropped in, a new clone is converted, has a demo, and speaks English and Mandarin', async () => {
    await drop(sonant.dataDirectory, 'openvoice', writeConverterPack)
    const packs = await packsTried(sonant, ['openvoice'], sonant.adminKey)
    expect(packs.openvoice).toMatchObject({ state: 'ready', family: 'converter', voices: [] })
    const units = await balance()
    converted = await clone(quieter(recording))
    expect([converted.method, await balance()]).toEqual(['converted', units - 300])
    expect((await listed()).find(({ id }) => id === converted.id)).toMatchObject({ method: 'converted', owned: true })
    expect((await fetch(converted.demo_url as string)).status).toBe(200)
    for (const text of [english, mandarin, `${english} ${mandarin}`]) {
      const spoken = readWav(await say(converted.id, text))
      expect(spoken.samples.length / spoken.sampleRate).toBeGreaterThan(1.2)
      // The test converter sings at 150 Hz times the root of the ratio of the embeddings.
      expect(medianPitchHz(spoken)).toBeWithin(75, 300)
    }
    expect(await say(converted.id, english)).toEqual(await say(converted.id, english))
  })

  it('an adapted clone speaks as before until it is re-enrolled, and is converted then', async () => {
    expect(await say(adapted.id, english)).toEqual(before)
    const { exitCode, stderr } = runSonant(['clone', 're-enrol', adapted.id, '--data', sonant.dataDirectory])
    expect([exitCode, stderr]).toEqual([0, ''])
    expect((await listed()).find(({ id }) => id === adapted.id)).toMatchObject({ method: 'converted' })
    expect(await say(adapted.id, english)).not.toEqual(before)
  })

  it('without its converter a clone is refused and not charged, and speaks again when it is back', async () => {
    const spoken = await say(converted.id, english)
    const folder = join(sonant.dataDirectory, 'voices/openvoice')
    await rename(folder, join(sonant.directory, 'away'))
    const packs = async () => (await sonant.admin('/packs')).items as unknown[]
    await until(async () => (await packs()).length === 0)
    const units = await balance()
    for (const { id } of [converted, adapted]) {
      const refused = sonant.request('/api/v1/tts', { body: { text: english, voice_id: id } })
      const { message } = await expectError(refused, 403, 'voice_disabled', 'permission_error')
      expect(message).toContain('tone converter')
    }
    expect(await balance()).toBe(units)
    expect((await listed()).map(({ id }) => id)).toContain(converted.id)
    await rename(join(sonant.directory, 'away'), folder)
    await until(async () => (await packs()).length === 1)
    expect(await say(converted.id, english)).toEqual(spoken)
  })
})

describe('an adapted clone', () => {
  it('is made of an installed voice of its gender, speaks with it, and is refused uncharged without it', async () => {
    await rename(join(sonant.dataDirectory, 'voices/openvoice'), join(sonant.directory, 'converter'))
    for (const [name, hz] of [
      ['en_US-woman-low', 180],
      ['en_US-man-low', 110],
    ] as const)
      await drop(sonant.dataDirectory, name, (directory) =>
        writePiperPack(directory, { name, model: hummingModel(hz) }),
      )
    const packs = await packsTried(sonant, ['en_US-woman-low', 'en_US-man-low'], sonant.adminKey)
    const [woman] = packs['en_US-woman-low']!.voices
    const made = await clone(wavOf(readWav(recording).samples.map((value) => value * 0.6)))
    expect(made).toMatchObject({ method: 'adapted', gender: 'female' })
    const sql = `SELECT base_voice_id AS base FROM clones WHERE id = '${made.id}'`
    expect(query(sonant.dataDirectory, sql)).toEqual([{ base: woman }])
    const semitones =
      12 * Math.log2(medianPitchHz(readWav(await say(made.id, english))) / medianPitchHz(readWav(recording)))
    expect(Math.abs(semitones)).toBeLessThan(2)

    expect(
      (await sonant.request('/api/v1/admin/packs/en_US-woman-low', { method: 'DELETE', key: sonant.adminKey })).status,
    ).toBe(200)
    const units = await balance()
    await expectError(
      sonant.request('/api/v1/tts', { body: { text: english, voice_id: made.id } }),
      403,
      'voice_disabled',
    )
    expect(await balance()).toBe(units)
  })
})
