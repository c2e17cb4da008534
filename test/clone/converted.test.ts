/** Clones by tone conversion from the recording to the charge, with the whole service except HTTP. */
import { afterAll, beforeAll, describe, expect, it, setDefaultTimeout } from 'bun:test'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Caller } from '../../src/account/keys'
import { reEnrol } from '../../src/admin/clones'
import { clone } from '../../src/clone/clone'
import type { Cloning } from '../../src/clone/cloning'
import { speakingVoiceOfClone } from '../../src/speak/speaking-voice'
import { openDatabase, type Database } from '../../src/db/database'
import { startDeadline } from '../../src/deadline'
import { createDemos } from '../../src/demos'
import { AppError } from '../../src/errors'
import type { Packs } from '../../src/admin/packs'
import { voiceHandlers } from '../../src/http/voices'
import { readBalance } from '../../src/billing/ledger/ledger'
import { createLogger } from '../../src/log'
import { downloadLimits } from '../../src/config'
import { createDownloader } from '../../src/net/download'
import { estimate, speak, type Speaking } from '../../src/speak/speak'
import type { Converter } from '../../src/cloning/convert/installed-converter'
import { fingerprintOf } from '../../src/cloning/convert/converter-pack'
import { writeRuntimeOptions } from '../../src/speech/onnx/runtime-options'
import { createScheduler } from '../../src/workers/scheduler'
import { modelOptions } from '../workers/model-options'
import { openReferences } from '../../src/storage/references'
import { openStorage } from '../../src/storage/storage'
import { readCatalogue, type Catalogue } from '../../src/voice/catalogue'
import { findAnyClone, type Clone } from '../../src/voice/clones'
import { createPlans } from '../../src/voice/plans'
import { addAccount, addKey, credit, newRequestId } from '../billing'
import { makeVoice } from '../audio/analysis/voices'
import { wavFile } from '../audio/files'
import { extractorGraph, writeConverterPack } from '../onnx/converter'
import { medianPitchHz, readWav } from '../sound'

setDefaultTimeout(60_000)

const log = createLogger('silent')
const builtIn = readCatalogue()
let directory: string
let db: Database
let service: Speaking & Cloning
let installed: Converter
let converter: Converter | undefined
/** Ids of voices that the catalogue no longer finds. */
let removed: string[] = []

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sonant-clones-'))
  Object.assign(process.env, writeRuntimeOptions({ directory, provider: 'cpu', threads: 1 }))
  const fingerprint = fingerprintOf(extractorGraph())
  installed = { model: await writeConverterPack(join(directory, 'converter')), deterministic: true, fingerprint }
  db = openDatabase(join(directory, 'sonant.db'))
  const storage = openStorage({ directory: join(directory, 'audio'), minFreeBytes: 0 })
  await storage.prepare()
  await mkdir(join(directory, 'references'))
  const catalogue: Catalogue = {
    ...builtIn,
    find: (id) => (removed.includes(id) ? undefined : builtIn.find(id)),
  }
  const scheduler = createScheduler({
    models: modelOptions,
    command: [process.execPath, join(import.meta.dir, '../cloning/convert/worker.ts'), 'worker'],
    ...{ workers: 2, taskTimeoutMs: 60_000, workerMemoryMaxBytes: 900 << 20, jobsMax: 100 },
    ...{ horizonMs: 60_000, log },
  })
  service = {
    ...{ db, catalogue, scheduler, storage, log, mp3SampleRate: undefined },
    plans: createPlans(db, catalogue),
    converter: () => converter,
    references: openReferences({ directory: join(directory, 'references') }),
    downloader: createDownloader({ command: [], allowed: [], limits: downloadLimits }),
    ...{ extraTimeMaxMs: 0, holdTimeoutMs: 600_000, clonesMax: 100, referenceBytesMax: 15 << 20 },
    ...{ running: new Map(), turns: new Map(), unsettled: new Map() },
  }
})
afterAll(async () => {
  service.scheduler.close()
  db.close()
  await rm(directory, { recursive: true })
})

function addCaller(units = 10_000): Caller {
  const accountId = addAccount(db)
  const keyId = addKey(db, accountId)
  credit(db, accountId, units)
  return { accountId, keyId, planId: null, role: 'user', limits: { tts: null, clone: null } } as unknown as Caller
}

let seed = 0

/** Receives a new recording, different each time. */
async function receive(hz = 200) {
  seed++
  const { samples, sampleRate } = makeVoice({ seconds: 4, f0At: (t) => hz * (1 + 0.1 * Math.sin(5 * t)), seed })
  const incoming = await service.references.receive()
  await incoming.write(wavFile({ samples, sampleRate }))
  return incoming.finish()
}

async function makeClone(caller: Caller, change: { language?: string; hz?: number } = {}): Promise<Clone> {
  const { signal } = new AbortController()
  const made = await clone(service, {
    ...{ caller, surface: 'api', requestId: newRequestId(), name: 'Test', language: change.language ?? 'en', signal },
    deadline: startDeadline(60_000),
    source: { file: await receive(change.hz) },
  })
  return made.clone
}

const text = 'The weather will be warm and sunny for the rest of the week.'

async function say(caller: Caller, voiceId: string, said = text) {
  const { signal } = new AbortController()
  const fields = { text: said, voiceId, speed: 1, format: 'wav' } as const
  const spoken = await speak(service, {
    ...fields,
    caller,
    surface: 'api',
    requestId: newRequestId(),
    deadline: startDeadline(60_000),
    signal,
  })
  const bytes = await Bun.file((await service.storage.find(spoken.name))!.path).bytes()
  return { bytes, units: spoken.units }
}

async function refusalOf(promise: Promise<unknown>): Promise<AppError> {
  const error = await promise.then(
    () => new Error('it succeeded'),
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(AppError)
  return error as AppError
}

const reEnrolled = (id: string) =>
  reEnrol(
    { db, catalogue: service.catalogue, actor: 'test', refusesLockOut: false, nowMs: Date.now },
    service,
    service,
    id,
    startDeadline(60_000),
  )

describe('a clone', () => {
  it('is converted where a converter is installed, costs the same as every clone, and speaks', async () => {
    converter = installed
    const caller = addCaller(1000)
    const made = await makeClone(caller)
    expect(made).toMatchObject({ method: 'converted', gender: 'female', language: 'en', baseVoiceId: 'en-ivy' })
    expect(findAnyClone(db, made.id)).toEqual(made)
    expect(readBalance(db, caller.accountId)).toEqual({ available: 700, held: 0 })
    expect((await service.storage.find(made.demoName))!.sizeBytes).toBeGreaterThan(5000)
    const { bytes, units } = await say(caller, made.id)
    expect(units).toBe(text.length)
    expect(medianPitchHz(readWav(bytes))).toBeWithin(75, 300)
    expect((await say(caller, made.id)).bytes).toEqual(bytes)
  })

  it('speaks every script with fallback voices that are converted too', async () => {
    converter = installed
    const caller = addCaller()
    const made = await makeClone(caller)
    const voice = speakingVoiceOfClone(service, made)
    for (const script of ['Hani', 'Cyrl', 'Thai', 'Zzzz']) {
      const fallback = voice.fallbackVoiceFor(script)
      expect(fallback).toMatchObject({ engine: 'espeak', sampleRate: 22_050 })
      expect(fallback.conversion).toEqual(voice.spec.conversion!)
      expect(fallback.id).toStartWith(`${made.id} `)
      expect(fallback.adaptation).toBeUndefined()
    }
    const mixed = readWav((await say(caller, made.id, '你好，我们去公园。Hello there.')).bytes)
    expect(mixed.samples.length / mixed.sampleRate).toBeGreaterThan(2)
  })

  it('is adapted where no converter is installed', async () => {
    converter = undefined
    const caller = addCaller()
    const made = await makeClone(caller)
    expect(made.method).toBe('adapted')
    expect(speakingVoiceOfClone(service, made).spec.conversion).toBeUndefined()
    expect(medianPitchHz(readWav((await say(caller, made.id)).bytes))).toBeWithin(180, 220)
  })

  it('is refused and not charged when its converter is missing or replaced', async () => {
    converter = installed
    const caller = addCaller()
    const made = await makeClone(caller)
    const before = readBalance(db, caller.accountId)
    converter = undefined
    const gone = await refusalOf(say(caller, made.id))
    expect(gone).toMatchObject({ code: 'voice_disabled', param: 'voice_id' })
    expect(gone.message).toContain('the tone converter that it was made with is not installed any more')
    expect(() => estimate(service, { text, voiceId: made.id, speed: 1, format: 'mp3' }, caller)).toThrow(AppError)
    converter = { ...installed, fingerprint: 'another' }
    const other = await refusalOf(say(caller, made.id))
    expect([other.code, other.message.includes('replaced by another one')]).toEqual(['voice_disabled', true])
    expect(readBalance(db, caller.accountId)).toEqual(before)
    await service.storage.remove(made.demoName)
    expect(await createDemos(service, log).find(made.demoName, startDeadline(60_000))).toBeUndefined()
    converter = installed
    expect((await say(caller, made.id)).units).toBe(text.length)
    expect((await createDemos(service, log).find(made.demoName, startDeadline(60_000)))!.sizeBytes).toBeGreaterThan(
      5000,
    )
  })

  it('is refused and not charged when its base voice is missing, for either method', async () => {
    for (const method of ['converted', 'adapted'] as const) {
      converter = method === 'converted' ? installed : undefined
      const caller = addCaller()
      const made = await makeClone(caller)
      expect(made.method).toBe(method)
      removed = [made.baseVoiceId]
      const before = readBalance(db, caller.accountId)
      const refused = await refusalOf(say(caller, made.id))
      removed = []
      expect(refused).toMatchObject({ code: 'voice_disabled', param: 'voice_id' })
      expect(refused.message).toContain('the voice that spoke for it is not installed any more')
      expect(readBalance(db, caller.accountId)).toEqual(before)
    }
  })

  it('costs nothing and leaves no file when the converter fails', async () => {
    converter = { ...installed, model: { ...installed.model, directory: join(directory, 'nowhere') } }
    const caller = addCaller(1000)
    expect((await refusalOf(makeClone(caller))).code).toBe('render_failed')
    expect(readBalance(db, caller.accountId)).toEqual({ available: 1000, held: 0 })
    expect(db.prepare('SELECT count(*) AS count FROM clones WHERE account_id = ?').get(caller.accountId)).toEqual({
      count: 0,
    })
  })
})

describe('re-enrolling a clone', () => {
  it('moves it to the method of new clones, either way, and to a converter that replaced its own', async () => {
    converter = undefined
    const caller = addCaller()
    const made = await makeClone(caller)
    const before = await say(caller, made.id)

    converter = installed
    expect(await reEnrolled(made.id)).toMatchObject({ id: made.id, method: 'converted' })
    const moved = findAnyClone(db, made.id)!
    expect(moved.demoName).not.toBe(made.demoName)
    expect(await service.storage.find(made.demoName)).toBeUndefined()
    const demos = createDemos(service, log)
    expect((await demos.find(moved.demoName, startDeadline(60_000)))!.sizeBytes).toBeGreaterThan(5000)
    const converted = await say(caller, made.id)
    expect(converted.bytes).not.toEqual(before.bytes)

    const other = await writeConverterPack(join(directory, 'other'), { extractor: extractorGraph(2) })
    converter = { model: other, deterministic: true, fingerprint: fingerprintOf(extractorGraph(2)) }
    expect((await refusalOf(say(caller, made.id))).code).toBe('voice_disabled')
    await reEnrolled(made.id)
    expect((await say(caller, made.id)).bytes).toEqual(converted.bytes)
    // The same files in another directory are the same converter.
    const { fingerprint } = converter
    const model = await writeConverterPack(join(directory, 'moved'), { extractor: extractorGraph(2) })
    converter = { model, deterministic: true, fingerprint }
    expect((await say(caller, made.id)).bytes).toEqual(converted.bytes)

    converter = undefined
    expect(await reEnrolled(made.id)).toMatchObject({ method: 'adapted' })
    expect((await say(caller, made.id)).bytes).toEqual(before.bytes)
    const entries = db.prepare("SELECT count(*) AS count FROM audit_log WHERE act = 'clone re-enrol' AND subject = ?")
    expect(entries.get(made.id)).toEqual({ count: 3 })
  })
})

describe('the list of voices', () => {
  it('states the method of each clone, also of one that cannot speak now', async () => {
    converter = installed
    const caller = addCaller()
    const made = await makeClone(caller)
    const addresses = () => ({ baseUrl: 'http://sonant', storageUrl: 'http://sonant/audio' })
    const packs = { registry: { packs: [] } } as unknown as Packs
    const { listVoices } = voiceHandlers({ db, speaking: service, packs, addresses })
    const request = new Request('http://sonant/api/v1/voices')
    const call = { request, caller, id: '', fields: {}, deadline: startDeadline(1000), headers: {} }
    const listed = async () => {
      const { voices } = JSON.parse(listVoices(call)) as { voices: { id: string }[] }
      return voices.filter(({ id }) => id.startsWith('cv-'))
    }
    const shown = { id: made.id, method: 'converted', engine: 'flite', sample_rate: 22_050, deterministic: true }
    expect(await listed()).toEqual([expect.objectContaining(shown)])
    converter = { ...installed, deterministic: false }
    expect(await listed()).toEqual([expect.objectContaining({ ...shown, deterministic: false })])
    converter = undefined
    expect(await listed()).toEqual([expect.objectContaining(shown)])
    converter = installed
    removed = [made.baseVoiceId]
    expect(await listed()).toEqual([expect.objectContaining({ ...shown, engine: null })])
    removed = []
  })
})
