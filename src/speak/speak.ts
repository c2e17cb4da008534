/**
 * The paid operation text → stored audio. It holds the units before the work and captures them afterwards, in one
 * transaction with the usage row. A failure releases the hold.
 */
import type { Caller } from '../account/keys'
import type { AudioFormat } from '../audio/encode/encoder'
import { audioGone } from '../billing/erased-audio'
import { countCharacters } from '../billing/ledger/characters'
import { ensureAffordable, readBalance, settledUnits } from '../billing/ledger/ledger'
import { payOnce, type Billing } from '../billing/paid-request'
import type { Surface, UsageRow } from '../billing/usage/usage'
import type { Database } from '../db/database'
import { lengthen, shorten, type Deadline } from '../deadline'
import { AppError, assert } from '../errors'
import { noFaults, type FaultName, type Faults } from '../faults'
import { sha256 } from '../hash'
import type { Storage } from '../storage/storage'
import type { Catalogue } from '../voice/catalogue'
import { findClone, findFirstClone, isCloneId, type Clone } from '../voice/clones'
import type { Plans } from '../voice/plans'
import type { Scheduler } from '../workers/scheduler'
import type { RenderFault } from './render'
import { loadRendering } from './rendering'
import { speakingVoiceOf, speakingVoiceOfClone, type FindConverter, type SpeakingVoice } from './speaking-voice'

export type Speaking = Billing & {
  readonly catalogue: Catalogue
  readonly plans: Plans
  readonly scheduler: Scheduler
  readonly converter: FindConverter
  readonly storage: Storage
  /** Hz; undefined: each voice's own sample rate. */
  readonly mp3SampleRate: number | undefined
  /** A text that takes a slow voice long may end this much after its deadline. */
  readonly extraTimeMaxMs: number
}

export type SpeakFields = {
  readonly text: string
  /** undefined: the first voice of the account's list, which includes its clones. */
  readonly voiceId: string | undefined
  readonly speed: number
  readonly format: AudioFormat
  /** Hz of a WAV; undefined: the rate of all others. */
  readonly wavSampleRate?: number
}

export type SpeakRequest = SpeakFields & {
  readonly caller: Caller
  readonly surface: Surface
  /** The client's idempotency key, if it sent one. */
  readonly requestId: string
  /** Deadline of the whole request; later for a text that takes a slow voice long. */
  readonly deadline: Deadline
  readonly signal: AbortSignal
  readonly faults?: Faults
  /** Finds the voice that `voiceId` names on another surface; undefined: the first of the list. */
  readonly findVoiceId?: (name: string) => string | undefined
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
  readonly processingMs: number
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
 * `insufficient_balance`, `storage_failed`, `rate_limited` (queue full), `gone` (erased audio of a repeated request),
 * and the errors of `render`.
 */
export async function speak(speaking: Speaking, request: SpeakRequest): Promise<Spoken> {
  const { caller, requestId } = request
  const digest = digestOf(request)
  const identity = { requestId, accountId: caller.accountId, digest, deadline: latestOf(speaking, request) }
  const outcome = await payOnce(speaking, identity, () => {
    const { voiceId: name, findVoiceId } = request
    const voiceId = name !== undefined && findVoiceId ? findVoiceId(name) : name
    const voice = chooseVoice(speaking, caller, voiceId)
    return {
      usage: usageOf(request, voice.spec.id, digest),
      faults: request.faults,
      make: () => store(speaking, request, voice),
      discard: ({ fileName }) => speaking.storage.remove(fileName),
      keepsUncharged: true,
    }
  })
  if ('earlier' in outcome) return replayOf(speaking, outcome.earlier)
  const { made, remaining } = outcome
  const units = countCharacters(request.text)
  const { fileName: name, voiceId, processingMs } = made
  return { name, voiceId, speed: request.speed, units, remaining, processingMs, replayed: false }
}

/** The latest deadline that the request may get. */
function latestOf({ extraTimeMaxMs }: Speaking, { deadline }: SpeakRequest): Deadline {
  return extraTimeMaxMs > 0 ? lengthen(deadline, extraTimeMaxMs) : deadline
}

/** The answer to an earlier request, read from the history. Throws `gone`. */
async function replayOf({ storage }: Speaking, row: UsageRow): Promise<Spoken> {
  const { fileName, voiceId, speed, characters, remaining, processingMs } = row
  assert(fileName !== null && speed !== null && processingMs !== null, 'a request that succeeded has its answer')
  if (!(await storage.find(fileName))) throw audioGone()
  return { name: fileName, voiceId, speed, units: characters, remaining, processingMs, replayed: true }
}

function usageOf(
  { caller, requestId, surface, text, speed, format }: SpeakRequest,
  voiceId: string,
  digest: Uint8Array,
) {
  const { accountId, keyId } = caller
  const characters = countCharacters(text)
  return { requestId, kind: 'tts' as const, surface, accountId, keyId, voiceId, characters, speed, format, digest }
}

type Voices = Pick<Speaking, 'db' | 'plans' | 'catalogue' | 'converter'>

/** A voice of the account's plan or one of its clones; without an id the first of the account's list. */
function chooseVoice(voices: Voices, caller: Caller, voiceId: string | undefined): SpeakingVoice {
  const { plans, catalogue } = voices
  const clone = voiceId === undefined ? firstIfClone(voices, caller) : cloneOf(voices, caller, voiceId)
  return clone ? speakingVoiceOfClone(voices, clone) : speakingVoiceOf(catalogue, plans.choose(caller.planId, voiceId))
}

/** Clones come after the voices of the plan. */
function firstIfClone({ db, plans }: Voices, { accountId, planId }: Caller): Clone | undefined {
  return plans.defaultIdFor(planId) === undefined ? findFirstClone(db, accountId) : undefined
}

function cloneOf({ db }: Voices, { accountId }: Caller, voiceId: string): Clone | undefined {
  return isCloneId(voiceId) ? findClone(db, accountId, voiceId) : undefined
}

/** The cost of a request and whether the account can pay it. Throws the voice errors of `speak`. */
export function estimate(speaking: Speaking, { text, voiceId }: SpeakFields, caller: Caller): Estimate {
  const { db } = speaking
  const voice = chooseVoice(speaking, caller, voiceId).spec
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

/** Identifies a request without keeping its text. It includes the id, so that equal texts have different digests. */
function digestOf({ requestId, text, voiceId, speed, format, wavSampleRate }: SpeakRequest): Uint8Array {
  const rate = wavSampleRate === undefined ? [] : [wavSampleRate]
  return sha256(JSON.stringify([requestId, text, voiceId ?? null, speed, format, ...rate]))
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

async function store(speaking: Speaking, request: SpeakRequest, { spec, fallbackVoiceFor }: SpeakingVoice) {
  const { scheduler, storage, mp3SampleRate } = speaking
  const fileName = `${request.requestId}.${request.format}`
  const { name: faultName, latencyMs } = request.faults ?? noFaults
  if (latencyMs > 0) await Bun.sleep(latencyMs)
  await storage.ensureSpace()
  const fault = faultName && renderFaultOf(faultName, request.format)
  const { renderToStorage } = await loadRendering()
  const { audioMs, processingMs } = await renderToStorage(scheduler, storage, fileName, {
    text: request.text,
    voice: spec,
    fallbackVoiceFor,
    speed: request.speed,
    format: request.format,
    mp3SampleRate,
    wavSampleRate: request.wavSampleRate,
    queueKey: request.caller.keyId,
    ...(fault === 'hang'
      ? { deadline: shorten(request.deadline, hangTimeoutMs) }
      : { deadline: request.deadline, latest: latestOf(speaking, request) }),
    signal: request.signal,
    fault,
  })
  return { fileName, voiceId: spec.id, audioMs, processingMs }
}
