/**
 * Paid operation 2: a recording → a private voice. The fee is held before the work and captured after it, in one
 * transaction with the voice and the row of the history; a failure gives it back and leaves no file behind.
 */
import type { Caller } from './account/keys'
import { clonedSpeaker } from './cloned-speaker'
import { patiently, transact } from './db/statements'
import { AppError, asAppError, publicCode, type ErrorCode } from './errors'
import { noFaults, type FaultName, type Faults } from './faults'
import { capture, hold, readBalance, settledUnits } from './ledger/ledger'
import type { Downloader } from './net/download'
import { normalizeUrl } from './net/url'
import { giveBack, type Books } from './settlement'
import { enrolVoice, examineRecording, type Recording } from './speech/cloning'
import type { Pool } from './speech/pool'
import type { RenderFault } from './speech/render'
import { loadRendering } from './speech/rendering'
import type { ReceivedReference, References } from './storage/references'
import type { Storage } from './storage/storage'
import { finishUsage, startUsage } from './usage/usage'
import { cloneDemoName, type Catalogue } from './voice/catalogue'
import {
  countClones,
  deleteClone,
  findClone,
  findCloneOf,
  findReferenceOfUrl,
  hasReference,
  insertClone,
  keepReference,
  newCloneId,
  type Clone,
} from './voice/clones'

export const cloneUnits = 300

export type Cloning = Books & {
  readonly catalogue: Catalogue
  readonly pool: Pool
  readonly storage: Storage
  readonly references: References
  readonly downloader: Downloader
  /** Hz, of the demo; undefined for the voice's own. */
  readonly mp3SampleRate: number | undefined
  readonly requestTimeoutMs: number
  readonly holdTimeoutMs: number
  /** Of one account. */
  readonly clonesMax: number
  readonly referenceBytesMax: number
  /** Requests at work by their id, as of `Speaking`. */
  readonly running: Map<string, Promise<unknown>>
  /** What must not happen twice at once, by account and recording, and by recording. */
  readonly turns: Map<string, Promise<unknown>>
}

/** Where the recording is: uploaded, at an address, or here already under the SHA-256 of its bytes. */
export type CloneSource = { readonly file: ReceivedReference } | { readonly url: string } | { readonly hash: string }

export type CloneRequest = {
  readonly caller: Caller
  readonly requestId: string
  /** Trimmed. */
  readonly name: string
  /** BCP 47; undefined: to be guessed. */
  readonly language: string | undefined
  readonly source: CloneSource
  readonly signal: AbortSignal
  readonly faults?: Faults
}

export type Cloned = {
  readonly clone: Clone
  /** Whether the account had it already. */
  readonly duplicate: boolean
  readonly units: number
  /** The balance after it. */
  readonly remaining: number
}

/**
 * Throws `invalid_params` (unknown hash), `invalid_url`, `url_blocked`, `url_fetch_failed`, `url_too_large`,
 * `unsupported_audio`, `audio_parse_failed`, `duration_exceeded`, `conflict`, `key_cap_reached`,
 * `insufficient_balance`, `rate_limited` (queue full), `render_failed`, `storage_failed`.
 */
export async function clone(cloning: Cloning, request: CloneRequest): Promise<Cloned> {
  const { reference, url } = await obtain(cloning, request)
  try {
    const turn = `${request.caller.accountId} ${reference.sha256}`
    return await inTurn(cloning, turn, () => cloneReference(cloning, request, reference, url))
  } finally {
    await reference.discard()
  }
}

/** One after the other. */
async function inTurn<T>({ turns }: Pick<Cloning, 'turns'>, name: string, work: () => Promise<T>): Promise<T> {
  const mine = (turns.get(name) ?? Promise.resolve()).then(work, work)
  turns.set(name, mine)
  try {
    return await mine
  } finally {
    if (turns.get(name) === mine) turns.delete(name)
  }
}

type Obtained = { readonly reference: ReceivedReference; readonly url: string | undefined }

async function obtain(cloning: Cloning, { source, signal, faults }: CloneRequest): Promise<Obtained> {
  const { db, references } = cloning
  if ('file' in source) return { reference: source.file, url: undefined }
  if ('hash' in source) {
    const reference = hasReference(db, source.hash) ? await references.take(source.hash) : undefined
    if (reference) return { reference, url: undefined }
    const message = 'hash: the service has no such file; upload it.'
    throw new AppError('unknown_hash', message, { param: 'hash' })
  }
  const url = normalizeUrl(source.url)
  const known = findReferenceOfUrl(db, url)
  const stored = known === undefined ? undefined : await references.take(known)
  if (stored) return { reference: stored, url }
  if (faults?.name === 'url_fetch_failed')
    throw new AppError('url_fetch_failed', 'url: it could not be fetched.', { param: 'url' })
  return { reference: await download(cloning, url, signal), url }
}

async function download(
  { references, downloader, referenceBytesMax: sizeBytesMax }: Cloning,
  url: string,
  signal: AbortSignal,
): Promise<ReceivedReference> {
  const incoming = await references.receive()
  try {
    await downloader.download(url, (chunk) => incoming.write(chunk), { sizeBytesMax, signal })
    return await incoming.finish()
  } catch (error) {
    await incoming.abort()
    throw error
  }
}

async function cloneReference(
  cloning: Cloning,
  request: CloneRequest,
  reference: ReceivedReference,
  url: string | undefined,
): Promise<Cloned> {
  const { db, pool, running } = cloning
  const { caller, requestId } = request
  const own = findCloneOf(db, caller.accountId, reference.sha256)
  if (own) return patiently(() => noteDuplicate(cloning, request, own))
  const recording = await examineRecording(pool, reference.path, {
    queueKey: caller.keyId,
    timeoutMs: cloning.requestTimeoutMs,
  })
  if (countClones(db, caller.accountId) >= cloning.clonesMax)
    throw new AppError('conflict', `This account has ${cloning.clonesMax} clones, the most there may be; delete one.`)
  const id = newCloneId()
  const holdId = await patiently(() => begin(cloning, request, id))
  const work = finish(cloning, request, { id, holdId, reference, url, recording })
  running.set(requestId, work)
  return work.finally(() => running.delete(requestId))
}

/** A free repetition is in the history too. */
function noteDuplicate({ db }: Cloning, request: CloneRequest, own: Clone): Cloned {
  return transact(db, () => {
    const remaining = settledUnits(readBalance(db, request.caller.accountId))
    startUsage(db, usageStart(request, own.id, 0))
    finishUsage(db, request.requestId, { status: 'charged', units: 0, remaining, ...noAudio, durationMs: 0 })
    return { clone: own, duplicate: true, units: 0, remaining }
  })
}

const noAudio = { fileName: null, audioMs: null } as const

function usageStart({ caller, requestId }: CloneRequest, voiceId: string, characters: number) {
  const { accountId, keyId } = caller
  const createdAtMs = Date.now()
  const none = { speed: null, format: null, digest: null }
  return { requestId, kind: 'clone' as const, accountId, keyId, createdAtMs, voiceId, characters, ...none }
}

/** Holds the fee, or writes down why not. Returns the hold's id. */
function begin({ db, holdTimeoutMs }: Cloning, request: CloneRequest, voiceId: string): number {
  const { caller, requestId } = request
  const { accountId, keyId } = caller
  const start = () => startUsage(db, usageStart(request, voiceId, cloneUnits))
  try {
    return transact(db, () => {
      start()
      const nowMs = Date.now()
      const expiresAtMs = nowMs + holdTimeoutMs
      return hold(db, { accountId, keyId, requestId, purpose: 'clones', units: cloneUnits, nowMs, expiresAtMs })
    })
  } catch (error) {
    if (error instanceof AppError)
      transact(db, () => {
        start()
        finishUsage(db, requestId, { status: 'failed', errorCode: publicCode(error.code) })
      })
    throw error
  }
}

type Begun = {
  readonly id: string
  readonly holdId: number
  readonly reference: ReceivedReference
  readonly url: string | undefined
  readonly recording: Recording
}

async function finish(cloning: Cloning, request: CloneRequest, begun: Begun): Promise<Cloned> {
  const { storage } = cloning
  const startedAtMs = performance.now()
  try {
    const clone = await make(cloning, request, begun)
    try {
      const remaining = await inTurn(cloning, clone.sha256, () =>
        record(cloning, request, begun, clone, Math.round(performance.now() - startedAtMs)),
      )
      return { clone, duplicate: false, units: cloneUnits, remaining }
    } catch (error) {
      await storage.remove(clone.demoName)
      throw error
    }
  } catch (error) {
    const errorCode = publicCode(asAppError(error).code)
    await giveBack(cloning, request.requestId, begun.holdId, { status: 'failed', errorCode }).catch(() => {})
    throw error
  }
}

/** The voice and its demo. */
async function make(
  { pool, catalogue, storage, mp3SampleRate, requestTimeoutMs }: Cloning,
  { caller, requestId, name, language, faults }: CloneRequest,
  { id, reference, recording }: Begun,
): Promise<Clone> {
  const { name: faultName, latencyMs } = faults ?? noFaults
  if (latencyMs > 0) await Bun.sleep(latencyMs)
  await storage.ensureSpace()
  const queue = { queueKey: caller.keyId, timeoutMs: requestTimeoutMs }
  const voice = await enrolVoice(pool, catalogue, recording, {
    language: language ?? (await languageOfName(catalogue, name)),
    ...queue,
  })
  const clone: Clone = {
    ...voice,
    id,
    accountId: caller.accountId,
    requestId,
    sha256: reference.sha256,
    name,
    method: 'adapted',
    warnings: recording.warnings,
    durationMs: recording.durationMs,
    demoName: cloneDemoName(id, voice.profile),
    createdAtMs: Date.now(),
  }
  const fault = faultName && demoFaults[faultName]
  await renderDemo({ pool, storage, catalogue, mp3SampleRate }, clone, { ...queue, fault })
  return clone
}

/**
 * The script of the name tells Chinese, Russian and others; of Latin letters nothing follows. The sound itself was found
 * to tell languages apart no better than chance.
 */
async function languageOfName(catalogue: Catalogue, name: string): Promise<string | undefined> {
  const { scriptRuns } = await import('./speech/text/script')
  const script = scriptRuns(name).find(({ script }) => script !== null && script !== 'Latn')?.script
  if (!script) return undefined
  const reader = catalogue.companionFor(catalogue.voices[0]!, script)
  return catalogue.find(reader.id)?.language
}

/** Which stage of the demo a fault on demand fails. */
const demoFaults: Partial<Record<FaultName, RenderFault>> = { render_failed: 'synthesize', storage_failed: 'store' }

type Demo = { readonly queueKey: string | null; readonly timeoutMs: number; readonly fault?: RenderFault }

/** Speaks the demo sentence of its language into the storage. Throws `render_failed`, `storage_failed`. */
export async function renderDemo(
  { pool, storage, catalogue, mp3SampleRate }: Pick<Cloning, 'pool' | 'storage' | 'catalogue' | 'mp3SampleRate'>,
  clone: Clone,
  demo: Demo,
): Promise<void> {
  const { spec, companionFor } = clonedSpeaker(catalogue, clone)
  const text = catalogue.cloneDemo(clone.language)
  const { renderToStorage } = await loadRendering()
  try {
    await renderToStorage(pool, storage, clone.demoName, {
      text,
      voice: spec,
      companionFor,
      speed: 1,
      format: 'mp3',
      mp3SampleRate,
      ...demo,
    })
  } catch (error) {
    if (error instanceof AppError && passing.includes(error.code)) throw error
    throw renderFailed(error)
  }
}

const passing: readonly ErrorCode[] = ['storage_failed', 'rate_limited', 'shutting_down']

function renderFailed(cause?: unknown): AppError {
  return new AppError('render_failed', 'The demo of the voice could not be made; nothing was charged. Try again.', {
    cause,
  })
}

async function record(
  { db, references, log }: Cloning,
  { requestId, faults }: CloneRequest,
  { holdId, reference, url }: Begun,
  clone: Clone,
  durationMs: number,
): Promise<number> {
  await reference.keep()
  try {
    return await patiently(() =>
      transact(db, () => {
        const { sha256, sizeBytes } = reference
        keepReference(db, { sha256, sizeBytes, url, nowMs: clone.createdAtMs })
        insertClone(db, clone)
        const remaining = settledUnits(capture(db, holdId, Date.now()))
        if (faults?.name === 'charge_failed') throw new Error('fault on demand')
        finishUsage(db, requestId, { status: 'charged', units: cloneUnits, remaining, ...noAudio, durationMs })
        return remaining
      }),
    )
  } catch (error) {
    log.error({ requestId, err: error }, 'a clone could not be recorded')
    if (!hasReference(db, reference.sha256)) await references.remove(reference.sha256)
    throw error
  }
}

/** Throws `voice_not_found` for one that is not the account's. */
export async function removeClone(cloning: Cloning, accountId: string, id: string): Promise<void> {
  const { db } = cloning
  const clone = findClone(db, accountId, id) ?? refuseUnknown(id)
  await inTurn(cloning, clone.sha256, async () => {
    if (!findClone(db, accountId, id)) refuseUnknown(id)
    await cloning.storage.remove(clone.demoName)
    const wasLast = await patiently(() => deleteClone(db, clone))
    if (wasLast) await cloning.references.remove(clone.sha256)
  })
}

function refuseUnknown(id: string): never {
  const message = `voice_id: this account has no cloned voice ${JSON.stringify(id)}.`
  throw new AppError('voice_not_found', message, { param: 'voice_id' })
}
