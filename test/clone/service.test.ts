/** A tone converter that is installed while the service runs and that new clones then use. */
import { afterAll, beforeAll, describe, expect, it, setDefaultTimeout } from 'bun:test'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeVoice } from '../audio/analysis/voices'
import { wavFile } from '../audio/files'
import { writeConverterPack } from '../onnx/converter'
import { omitDemos } from '../executable/sonant'
import { readReadyLine } from '../lines'
import { readWav } from '../sound'

setDefaultTimeout(60_000)

const main = join(import.meta.dir, '../../src/main.ts')
const adminKey = 'administrator-key-of-this-test-0123456789'
let directory: string
let data: string
let child: Bun.Subprocess<'ignore', 'pipe', 'inherit'>
let baseUrl: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sonant-service-'))
  data = join(directory, 'data')
  const flags = [
    'serve',
    '--port',
    '0',
    '--data',
    data,
    // All requests come one after the other.
    '--workers',
    '1',
    '--log-level',
    'silent',
    '--limit-tts',
    '0',
    '--limit-clone',
    '0',
  ]
  const env = { ...process.env, SONANT_ADMIN_KEY: adminKey }
  child = Bun.spawn([process.execPath, main, ...flags], { env, stdin: 'ignore', stdout: 'pipe', stderr: 'inherit' })
  baseUrl = (await readReadyLine<{ base_url: string }>(child.stdout)).base_url
  await omitDemos(data)
  const { body } = await ask('GET', '/account')
  await ask('POST', `/admin/accounts/${body.id}/adjust`, { units: 10_000, reason: 'for a test' })
})
afterAll(async () => {
  child.kill('SIGTERM')
  await child.exited
  await rm(directory, { recursive: true })
})

type Json = any

async function ask(method: string, path: string, body?: unknown): Promise<{ status: number; body: Json }> {
  const response = await fetch(`${baseUrl}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${adminKey}` },
    body: body === undefined ? undefined : body instanceof FormData ? body : JSON.stringify(body),
  })
  return { status: response.status, body: await response.json() }
}

const balance = async () => (await ask('GET', '/balance')).body.balance as number
const list = async () => (await ask('GET', '/voices')).body.voices as Json[]

async function makeClone(seed: number): Promise<Json> {
  const { samples, sampleRate } = makeVoice({ seconds: 5, f0At: (time) => 200 + 20 * Math.sin(5 * time), seed })
  const form = new FormData()
  form.append('name', `Voice ${seed}`)
  form.append('language', 'en')
  form.append('file', new Blob([Buffer.from(wavFile({ samples, sampleRate }))]), 'recording.wav')
  const { status, body } = await ask('POST', '/voices/clone', form)
  expect([status, body.error]).toEqual([200, undefined])
  return body.voice
}

const text = 'The weather will be warm.'
const request = (voiceId: string, said = text) => ask('POST', '/tts', { voice_id: voiceId, format: 'wav', text: said })

async function say(voiceId: string, said = text): Promise<Uint8Array> {
  const { status, body } = await request(voiceId, said)
  expect([status, body.error]).toEqual([200, undefined])
  return (await fetch(body.url)).bytes()
}

async function packsAre(...names: string[]): Promise<void> {
  for (;;) {
    const { items } = (await ask('POST', '/admin/packs/rescan', {})).body
    const ready = items.filter(({ state }: Json) => state === 'ready').map(({ name }: Json) => name)
    if (Bun.deepEquals(ready, names)) return
    expect(items.filter(({ state }: Json) => state === 'refused')).toEqual([])
    await Bun.sleep(100)
  }
}

async function reEnrolBeside(id: string): Promise<Json> {
  const command = Bun.spawn([process.execPath, main, 'clone', 're-enrol', id, '--data', data, '--json'], {
    stdout: 'pipe',
    stderr: 'inherit',
  })
  return JSON.parse(await new Response(command.stdout).text())
}

describe('the service with a tone converter', () => {
  let old: Json
  let made: Json
  /** The speech of `old` while it is adapted, and of `made`. */
  let adapted: Uint8Array
  let converted: Uint8Array

  it('adapts a clone while none is installed', async () => {
    old = await makeClone(1)
    expect(old.method).toBe('adapted')
    adapted = await say(old.id)
  })

  it('converts new clones once it is copied in, and keeps old ones', async () => {
    await mkdir(join(data, 'voices'), { recursive: true })
    await writeConverterPack(join(directory, 'openvoice'))
    await rename(join(directory, 'openvoice'), join(data, 'voices/openvoice'))
    await packsAre('openvoice')
    made = await makeClone(2)
    expect(made.method).toBe('converted')
    expect((await fetch(made.demo_url)).status).toBe(200)
    expect((await list()).filter(({ owned }) => owned).map(({ id, method }) => [id, method])).toEqual([
      [old.id, 'adapted'],
      [made.id, 'converted'],
    ])
    expect(await say(old.id)).toEqual(adapted)
  })

  it('gives a converted clone the same bytes each time, in several scripts', async () => {
    converted = await say(made.id)
    expect(await say(made.id)).toEqual(converted)
    const mixed = readWav(await say(made.id, '你好，我们去公园。Hello there. Добрый день.'))
    expect(mixed.samples.length / mixed.sampleRate).toBeGreaterThan(3)
  })

  it('converts an old clone that is re-enrolled beside the server', async () => {
    expect((await reEnrolBeside(old.id)).method).toBe('converted')
    expect(await say(old.id)).not.toEqual(adapted)
  })

  it('refuses a converted clone uncharged when it is gone, and adapts a re-enrolled one', async () => {
    await rename(join(data, 'voices/openvoice'), join(directory, 'openvoice'))
    await packsAre()
    const before = await balance()
    const refused = await request(made.id)
    expect([refused.status, refused.body.error.code]).toEqual([403, 'voice_disabled'])
    expect(refused.body.error.message).toContain('the tone converter that it was made with is not installed any more')
    expect(await balance()).toBe(before)
    expect((await ask('POST', `/admin/clones/${old.id}/re-enrol`, {})).body.method).toBe('adapted')
    expect(await say(old.id)).toEqual(adapted)
  })

  it('lets a clone speak again with an equal converter of another name', async () => {
    await writeConverterPack(join(directory, 'again'))
    await rename(join(directory, 'again'), join(data, 'voices/again'))
    await packsAre('again')
    expect(await say(made.id)).toEqual(converted)
  })
})
