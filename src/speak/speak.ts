/**
 * The paid operation text → stored audio. It holds the units before the work and captures them afterwards, in one
 * transaction with the usage row. A failure releases the hold.
 */
import type { Caller } from '../account/keys'
import type { AudioFormat } from '../audio/encode/encoder'
import type { Database } from '../db/database'
import { retryWhileBusy, transact } from '../db/statements'
import { runWithin, shorten, type Deadline } from '../deadline'
import { AppError, asAppError, assert, publicCode } from '../errors'
import { noFaults, type FaultName, type Faults } from '../faults'
import { countCharacters } from '../billing/ledger/characters'
import { capture, ensureAffordable, hold, readBalance, settledUnits } from '../billing/ledger/ledger'
import { catalogueSpeaker, clonedSpeaker, type FindConverter, type Speaker } from './speaker'
import { releaseHold, settle, type Billing } from '../billing/settlement'
import type { Rendering, RenderFault } from './render'
import { loadRendering } from './rendering'
import type { Scheduler } from '../workers/scheduler'
import type { Storage } from '../storage/storage'
import { findUsage, finishUsage, hasDigest, startUsage } from '../billing/usage/usage'
import type { Catalogue } from '../voice/catalogue'
import { findClone, findFirstClone, isCloneId, type Clone } from '../voice/clones'
import type { Plans } from '../voice/plans'

export type Speaking = Billing & {
  readonly catalogue: Catalogue
  readonly plans: Plans
  readonly scheduler: Scheduler
  readonly converter: FindConverter
  readonly storage: Storage
  /** Hz; undefined: each voice's own sample rate. */
  readonly mp3SampleRate: number | undefined
  /** Upkeep may release a hold after this time; longer than any request lasts. */
  readonly holdTimeoutMs: number
  /** Running requests by id. A shutdown waits for them even when their clients have left. */
  readonly running: Map<string, Promise<unknown>>
}

export type SpeakFields = {
  readonly text: string
  /** undefined: the first voice of the account's list, which includes its clones. */
  readonly voiceId: string | undefined
  readonly speed: number
  readonly format: AudioFormat
}

export type SpeakRequest = SpeakFields & {
  readonly caller: Caller
  /** The client's idempotency key, if it sent one. */
  readonly requestId: string
  /** Deadline of the whole request. */
  readonly deadline: Deadline
  readonly signal: AbortSignal
  readonly faults?: Faults
}

export type Spoken = {
  /** File name in the storage. */
  readonly name: string
  readonly voiceId: string
  readonly speed: number
  readonly units: number
  /** The balance after the charge; null when charging failed. */
  readonly remaining: number | null
  /** Milliseconds from the start of the first task to the stored file. */
  readonly durationMs: number
  /** Whether this is the answer to an earlier request with the same id. */
  readonly replayed: boolean
}

export type Estimate = {
  readonly units: number
  readonly voiceId: string
  readonly allowed: boolean
  /** The balance after the request, or the current balance if the request is not allowed. */
  readonly remainingAfter: number
}

/**
 * Throws `idempotency_conflict`, `voice_not_found`, `voice_disabled`, `voice_not_allowed`, `key_cap_reached`,
 * `insufficient_balance`, `storage_failed`, `rate_limited` (queue full), and the errors of `render`.
 */
export async function speak(speaking: Speaking, request: SpeakRequest): Promise<Spoken> {
  for (;;) {
    const found = await retryWhileBusy(() => findEarlier(speaking, request) ?? start(speaking, request))
    if ('spoken' in found) return found.spoken
    if ('own' in found) return found.own
    // The usage row then holds the outcome.
    await runWithin(request.deadline, Promise.allSettled([found.work]), waitedTooLong)
  }
}

function waitedTooLong(): AppError {
  return new AppError('synthesis_timeout', 'The request with this Idempotency-Key still runs; try again.')
}

/** No `await` stands between the look-up of the usage row and this call, so no other request can interleave. */
function start(speaking: Speaking, request: SpeakRequest): { own: Promise<Spoken> } {
  const { running } = speaking
  const { caller, requestId } = request
  const speaker = chooseSpeaker(speaking, caller, request.voiceId)
  const holdId = begin(speaking, request, speaker.spec)
  const own = finish(speaking, request, speaker, holdId).finally(() => running.delete(requestId))
  running.set(requestId, own)
  return { own }
}

type Voices = Pick<Speaking, 'db' | 'plans' | 'catalogue' | 'converter'>

/** A voice of the account's plan or one of its clones; without an id the first of the account's list. */
function chooseSpeaker(voices: Voices, caller: Caller, voiceId: string | undefined): Speaker {
  const { plans, catalogue } = voices
  const clone = voiceId === undefined ? firstIfClone(voices, caller) : cloneOf(voices, caller, voiceId)
  return clone ? clonedSpeaker(voices, clone) : catalogueSpeaker(catalogue, plans.choose(caller.groupId, voiceId))
}

/** Clones come after the voices of the plan. */
function firstIfClone({ db, plans }: Voices, { accountId, groupId }: Caller): Clone | undefined {
  return plans.listFor(groupId).length === 0 ? findFirstClone(db, accountId) : undefined
}

function cloneOf({ db }: Voices, { accountId }: Caller, voiceId: string): Clone | undefined {
  return isCloneId(voiceId) ? findClone(db, accountId, voiceId) : undefined
}

/** The cost of a request and whether the account can pay it. Throws the voice errors of `speak`. */
export function estimate(speaking: Speaking, { text, voiceId }: SpeakFields, caller: Caller): Estimate {
  const { db } = speaking
  const voice = chooseSpeaker(speaking, caller, voiceId).spec
  const units = countCharacters(text)
  const balance = settledUnits(readBalance(db, caller.accountId))
  const allowed = isAffordable(db, caller, units)
  return { units, voiceId: voice.id, allowed, remainingAfter: allowed ? balance - units : balance }
}

function isAffordable(db: Database, { accountId, keyId }: Caller, units: number): boolean {
  try {
    ensureAffordable(db, { accountId, keyId, units })
    return true
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}

/**
 * The answer to an earlier request with the same id, or its promise while it runs; undefined when it failed or there
 * was none. Throws `idempotency_conflict`.
 */
function findEarlier(
  speaking: Speaking,
  request: SpeakRequest,
): { spoken: Spoken } | { work: Promise<unknown> } | undefined {
  const { requestId } = request
  const row = findUsage(speaking.db, requestId)
  if (!row) return undefined
  if (row.accountId !== request.caller.accountId) throw idempotencyConflict()
  if (row.status === 'failed') return undefined
  if (!hasDigest(speaking.db, requestId, digestOf(request))) throw idempotencyConflict()
  if (row.status === 'running') {
    const work = speaking.running.get(requestId)
    if (work) return { work }
    assert(speaking.unsettled.has(requestId), 'a running request is at work, or its end could not be written')
    settle(speaking)
    return findEarlier(speaking, request)
  }
  const { fileName, voiceId, speed, characters, remaining, durationMs } = row
  assert(fileName !== null && speed !== null && durationMs !== null, 'a request that succeeded has its answer')
  return { spoken: { name: fileName, voiceId, speed, units: characters, remaining, durationMs, replayed: true } }
}

function idempotencyConflict(): AppError {
  const message = 'Idempotency-Key: this key was used for another request; send a new one.'
  return new AppError('idempotency_conflict', message, { param: 'Idempotency-Key' })
}

/** Identifies a request without keeping its text. It includes the id, so that equal texts have different digests. */
function digestOf({ requestId, text, voiceId, speed, format }: SpeakRequest): Uint8Array {
  const fields = JSON.stringify([requestId, text, voiceId ?? null, speed, format])
  return new Bun.CryptoHasher('sha256').update(fields).digest()
}

/** Claims the request id and holds the units, or records why it cannot. Returns the hold's id. */
export function begin(
  { db, holdTimeoutMs }: Pick<Speaking, 'db' | 'holdTimeoutMs'>,
  request: SpeakRequest,
  voice: { readonly id: string },
): number {
  const { caller, requestId, text, speed, format } = request
  const { accountId, keyId } = caller
  const units = countCharacters(text)
  const nowMs = Date.now()
  const start = () =>
    startUsage(db, {
      requestId,
      kind: 'tts',
      accountId,
      keyId,
      createdAtMs: nowMs,
      voiceId: voice.id,
      characters: units,
      speed,
      format,
      digest: digestOf(request),
    })
  try {
    return transact(db, () => {
      start()
      const expiresAtMs = nowMs + holdTimeoutMs
      return hold(db, { accountId, keyId, requestId, purpose: 'speech', units, nowMs, expiresAtMs })
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

async function finish(speaking: Speaking, request: SpeakRequest, speaker: Speaker, holdId: number): Promise<Spoken> {
  const { requestId, speed } = request
  const name = `${requestId}.${request.format}`
  let rendering: Rendering
  try {
    rendering = await store(speaking, request, speaker, name)
  } catch (error) {
    const errorCode = publicCode(asAppError(error).code)
    await releaseHold(speaking, requestId, holdId, { status: 'failed', errorCode }).catch(() => {})
    throw error
  }
  const remaining = await chargeOrGiveBack(speaking, request, holdId, name, rendering)
  const units = countCharacters(request.text)
  return { name, voiceId: speaker.spec.id, speed, units, remaining, durationMs: rendering.durationMs, replayed: false }
}

/** The render fault of each fault name. */
const renderFaults: Partial<Record<FaultName, RenderFault>> = {
  synthesis_failed: 'synthesize',
  speed_processing_failed: 'stretch',
  transcode_failed: 'encode',
  storage_failed: 'store',
  synthesis_timeout: 'hang',
}
const hangTimeoutMs = 300

/** A failing encoder answers `transcode_failed` for WAV only. */
function renderFaultOf(name: FaultName, format: AudioFormat): RenderFault | undefined {
  return name === 'transcode_failed' && format !== 'wav' ? undefined : renderFaults[name]
}

async function store(
  { scheduler, storage, mp3SampleRate }: Speaking,
  request: SpeakRequest,
  { spec, fallbackVoiceFor }: Speaker,
  name: string,
): Promise<Rendering> {
  const { name: faultName, latencyMs } = request.faults ?? noFaults
  if (latencyMs > 0) await Bun.sleep(latencyMs)
  await storage.ensureSpace()
  const fault = faultName && renderFaultOf(faultName, request.format)
  const { renderToStorage } = await loadRendering()
  return renderToStorage(scheduler, storage, name, {
    text: request.text,
    voice: spec,
    fallbackVoiceFor,
    speed: request.speed,
    format: request.format,
    mp3SampleRate,
    queueKey: request.caller.keyId,
    deadline: fault === 'hang' ? shorten(request.deadline, hangTimeoutMs) : request.deadline,
    signal: request.signal,
    fault,
  })
}

/**
 * Returns the balance after the charge, or null when the audio stays uncharged. Throws `storage_failed` when that
 * cannot be recorded either, because audio without a finished usage row must not be published.
 */
async function chargeOrGiveBack(
  speaking: Speaking,
  request: SpeakRequest,
  holdId: number,
  fileName: string,
  rendering: Rendering,
): Promise<number | null> {
  const { requestId } = request
  try {
    return await retryWhileBusy(() => charge(speaking, request, holdId, fileName, rendering))
  } catch (error) {
    speaking.log.error({ requestId, err: error }, 'charging failed')
  }
  const { audioMs, durationMs } = rendering
  try {
    await releaseHold(speaking, requestId, holdId, { status: 'uncharged', fileName, audioMs, durationMs })
    return null
  } catch (error) {
    speaking.unsettled.set(requestId, { holdId, outcome: { status: 'failed', errorCode: 'storage_failed' } })
    await speaking.storage.remove(fileName)
    throw new AppError('storage_failed', 'The request could not be recorded; nothing was charged. Try again.', {
      cause: error,
    })
  }
}

/** Captures the hold and finishes the usage row in one transaction. Returns the balance after it. */
export function charge(
  { db }: Pick<Speaking, 'db'>,
  { requestId, text, faults }: SpeakRequest,
  holdId: number,
  fileName: string,
  { audioMs, durationMs }: Pick<Rendering, 'audioMs' | 'durationMs'>,
): number {
  return transact(db, () => {
    const remaining = settledUnits(capture(db, holdId, Date.now()))
    if (faults?.name === 'charge_failed') throw new Error('fault on demand')
    const units = countCharacters(text)
    finishUsage(db, requestId, { status: 'charged', units, remaining, fileName, audioMs, durationMs })
    return remaining
  })
}
