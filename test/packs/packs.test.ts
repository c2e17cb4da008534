/** Installed packs in the running service: their voices, their removal, and clones of their voices. */
import { afterEach, beforeEach, describe, expect, it } from 'bun:test'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildApp, type App } from '../../src/app'
import { databasePath, readConfig, voicesDirectory } from '../../src/config'
import { openDatabase } from '../../src/db/database'
import { createLogger } from '../../src/log'
import type { Pack } from '../../src/speech/models/pack'
import { createPackRegistry } from '../../src/packs/registry'
import { finishUsage, startUsage } from '../../src/billing/usage/usage'
import { readCatalogue } from '../../src/voice/catalogue'
import { insertClone, keepReference, newCloneId } from '../../src/voice/clones'

const log = createLogger('silent')
const command = [process.execPath, join(import.meta.dir, 'pack-worker.ts'), 'worker']
let dataDirectory: string
let app: App | undefined
let apiKey: string
beforeEach(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'sonant-packs-'))
  app = undefined
  apiKey = ''
})
afterEach(async () => {
  await app?.close()
  await rm(dataDirectory, { recursive: true })
})

/** The result of a probe: a Piper model of two speakers, named after the folder. */
async function probe(directory: string): Promise<Pack> {
  const name = directory.split('/').at(-1)!
  return {
    name,
    family: 'piper',
    model: { directory, graph: 'model.onnx', version: '', memoryBytes: 1 << 20 },
    sampleRate: 16_000,
    voices: [0, 1].map((speaker) => ({
      id: `${name}-${speaker}`,
      displayName: `${name} ${speaker}`,
      description: 'Hums',
      language: 'en-US',
      gender: null,
      settings: { voice: '', speaker },
    })),
    deterministic: false,
    timesWords: false,
    batches: false,
    sizeBytes: 5,
    license: 'MIT',
  }
}

/** Installs packs as an earlier start would leave them, already probed. */
async function install(...names: string[]): Promise<void> {
  const directory = voicesDirectory({ dataDirectory })
  for (const name of names) await Bun.write(join(directory, name, 'model.onnx'), 'model')
  const { reservedIds } = readCatalogue()
  const registry = await createPackRegistry({
    ...{ directory, reservedIds, probe, log },
    ...{ settleMs: 1, pollMs: 1000, patienceMs: 10_000, mayWriteCache: () => true, onChange() {} },
  })
  await registry.probeAll()
  await registry.close()
}

async function start(): Promise<void> {
  const flags = { port: '0', data: dataDirectory, workers: '1', 'limit-tts': '0', 'limit-voices': '0' }
  const config = readConfig(flags, {}, {}, { cores: 1, memoryBytes: 8e9 })
  app = await buildApp(config, { worker: command, downloader: [] }, log)
  apiKey ||= app.made.apiKey!
}

type Json = any

async function ask(method: string, path: string, body?: unknown): Promise<{ status: number; body: Json }> {
  const response = await fetch(`${app!.baseUrl}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}` },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  return { status: response.status, body: await response.json() }
}
const speak = (voiceId: string, text = 'Hello there.') => ask('POST', '/tts', { text, voice_id: voiceId })
const balance = async () => (await ask('GET', '/balance')).body.balance as number
const listed = async () => (await ask('GET', '/voices')).body.voices as Json[]
const errorOf = ({ status, body }: { status: number; body: Json }) => [status, body.error?.code]

describe('the service with installed packs', () => {
  it('has their voices from its start, after the built-in ones', async () => {
    await install('amy', 'lessac')
    await start()
    const voices = await listed()
    const own = readCatalogue().builtIn.length
    expect(voices.slice(own).map(({ id }) => id)).toEqual(['amy-0', 'amy-1', 'lessac-0', 'lessac-1'])
    expect(voices[own]).toEqual({
      id: 'amy-0',
      display_name: 'amy 0',
      demo_url: expect.stringContaining('/audio/demos/amy-0-'),
      featured: false,
      language: 'en-US',
      gender: null,
      engine: 'piper',
      sample_rate: 16_000,
      description: 'Hums',
      deterministic: false,
    })
  })

  it('speaks with them, and renders a demo at its first request', async () => {
    await install('amy')
    await start()
    const { status, body } = await speak('amy-1')
    expect([status, body.voice_id]).toEqual([200, 'amy-1'])
    expect((await fetch(body.url)).status).toBe(200)
    const { demo_url: demo } = (await listed()).at(-1)
    expect((await fetch(demo)).status).toBe(200)
    const { items } = (await ask('GET', '/admin/packs')).body
    expect(items[0].loaded).toEqual({ processes: 1, memory_bytes: expect.any(Number) })
  })

  it('lets no installed voice be the default', async () => {
    await install('a')
    await start()
    expect((await ask('POST', '/tts/estimate', { text: 'Hello.' })).body.voice_id).toBe(readCatalogue().voices[0]!.id)
  })

  it('lists the packs with their state', async () => {
    await install('amy')
    await start()
    await Bun.write(join(voicesDirectory({ dataDirectory }), 'new/model.onnx'), 'x')
    const { body } = await ask('POST', '/admin/packs/rescan', {})
    expect(body.counts).toEqual({ ready: 1, checking: 1, refused: 0 })
    expect(body.items).toMatchObject([
      { name: 'amy', state: 'ready', family: 'piper', voices: ['amy-0', 'amy-1'], license: 'MIT', size_bytes: 5 },
      { name: 'new', state: 'checking', voices: [], license: null },
    ])
  })

  it('accepts settings of their voices, and keeps them while the pack is missing', async () => {
    await install('amy', 'lessac')
    await start()
    expect((await ask('PATCH', '/admin/voices/amy-0', { active: false })).status).toBe(200)
    expect((await ask('PATCH', '/admin/voices/lessac-0', { featured: true })).status).toBe(200)
    expect(errorOf(await speak('amy-0'))).toEqual([403, 'voice_disabled'])
    expect((await listed())[0].id).toBe('lessac-0')
    expect((await ask('DELETE', '/admin/packs/amy')).status).toBe(200)
    expect(errorOf(await speak('amy-0'))).toEqual([404, 'voice_not_found'])
    await app!.close()
    await install('amy')
    await start()
    expect(errorOf(await speak('amy-0'))).toEqual([403, 'voice_disabled'])
  })
})

describe('removing a pack', () => {
  it('removes its voices and frees its memory at once, deletes its files, and is in the audit log', async () => {
    await install('amy', 'lessac')
    await start()
    expect((await speak('amy-0')).status).toBe(200)
    const removed = await ask('DELETE', '/admin/packs/amy')
    expect(removed).toEqual({ status: 200, body: { ok: true, deleted: 'amy' } })
    expect((await ask('GET', '/admin/compute')).body.models).toEqual([])
    expect(existsSync(join(voicesDirectory({ dataDirectory }), 'amy'))).toBe(false)
    expect((await listed()).map(({ id }) => id)).not.toContain('amy-0')
    expect(errorOf(await speak('amy-0'))).toEqual([404, 'voice_not_found'])
    expect((await speak('lessac-0')).status).toBe(200)
    const { items } = (await ask('GET', '/admin/audit-log?limit=1')).body
    expect(items[0]).toMatchObject({ act: 'voices remove', subject: 'amy', before: { license: 'MIT' }, after: null })
    expect(errorOf(await ask('DELETE', '/admin/packs/amy'))).toEqual([404, 'not_found'])
  })

  it('lets running requests finish with the same voice', async () => {
    await install('amy')
    await start()
    await speak('amy-0')
    const before = await balance()
    const speaking = speak('amy-0', 'Slow and steady.')
    await Bun.sleep(200)
    expect((await ask('DELETE', '/admin/packs/amy')).status).toBe(200)
    const { status, body } = await speaking
    expect([status, body.voice_id]).toEqual([200, 'amy-0'])
    expect(await balance()).toBe(before - 16)
  })

  it('charges nothing for a request whose model was not loaded yet', async () => {
    await install('amy')
    await start()
    const before = await balance()
    await rm(join(voicesDirectory({ dataDirectory }), 'amy'), { recursive: true })
    expect(errorOf(await speak('amy-0'))).toEqual([502, 'synthesis_failed'])
    expect(await balance()).toBe(before)
  })
})

describe('a pack whose files change in place', () => {
  it('never speaks under the voices of the former files', async () => {
    await install('amy')
    await start()
    const before = await balance()
    await Bun.write(join(voicesDirectory({ dataDirectory }), 'amy/model.onnx'), 'another model')
    expect(errorOf(await speak('amy-0'))).toEqual([502, 'synthesis_failed'])
    expect(await balance()).toBe(before)
  })
})

describe('a clone whose base voice is not installed', () => {
  async function startWithClone(baseVoiceId: string) {
    await start()
    const { account_id: accountId, id: keyId } = (await ask('GET', '/account')).body.key
    const db = openDatabase(databasePath({ dataDirectory }))
    const sha256 = '0'.repeat(64)
    const id = newCloneId()
    const nowMs = Date.now()
    const requestId = 'f'.repeat(32)
    const usage = {
      requestId,
      kind: 'clone',
      surface: 'api',
      accountId,
      keyId,
      createdAtMs: nowMs,
      voiceId: id,
      characters: 0,
    } as const
    startUsage(db, { ...usage, speed: null, format: null, digest: null })
    finishUsage(db, requestId, { status: 'failed', errorCode: 'render_failed' })
    keepReference(db, { sha256, sizeBytes: 1, nowMs })
    insertClone(db, {
      ...{ id, accountId, sha256, baseVoiceId, requestId, name: 'Mine', language: 'en' },
      ...{ gender: 'female', method: 'adapted', profile: '{}', warnings: [], recordingMs: 5000, createdAtMs: nowMs },
      demoName: `demos/${id}-0.mp3`,
    })
    db.close()
    return id
  }

  it('is listed, cannot be used until the voice is back, and can be deleted', async () => {
    const id = await startWithClone('amy-0')
    expect((await listed()).at(-1)).toMatchObject({ id, engine: null, sample_rate: null, owned: true })
    const before = await balance()
    expect(errorOf(await speak(id))).toEqual([403, 'voice_disabled'])
    expect(errorOf(await ask('POST', '/tts/estimate', { text: 'Hi.', voice_id: id }))).toEqual([403, 'voice_disabled'])
    expect(await balance()).toBe(before)
    expect((await fetch((await listed()).at(-1).demo_url)).status).toBe(404)
    expect((await ask('DELETE', `/voices/clone?voice_id=${id}`)).status).toBe(200)
  })

  it('has its engine again when the pack is installed', async () => {
    await install('amy')
    const id = await startWithClone('amy-0')
    expect((await listed()).at(-1)).toMatchObject({ id, engine: 'piper', sample_rate: 16_000, deterministic: false })
  })
})
