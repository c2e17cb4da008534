/**
 * Cloning, the second paid operation: a recording becomes a private voice. The fee is held before the work and captured
 * after it, in one transaction with the rows of the voice. A failure releases the hold and leaves no file.
 */
import { pay } from '../billing/paid-request'
import { retryWhileBusy } from '../db/statements'
import { runWithin } from '../deadline'
import { AppError, assert } from '../errors'
import { noFaults, type FaultName } from '../faults'
import { enrolVoice, analyzeRecording, letCloneIn, type Admitted, type Recording } from './enrolment'
import type { RenderFault } from '../speak/render'
import type { ReceivedReference } from '../storage/references'
import { cloneDemoName } from '../voice/catalogue'
import { deleteClone, findClone, findCloneOf, newCloneId, type Clone } from '../voice/clones'
import { cloneUnits, type Cloned, type CloneRequest, type Cloning } from './cloning'
import { languageOfName, renderDemo } from './demo'
import { identify, obtain } from './recording'
import { ensureRoom, recordClone, recordDuplicate, removeUnusedReference, usageOf } from './records'

/**
 * Clones the recording of the request. Throws `unknown_hash`, `invalid_url`, `url_blocked`, `url_fetch_failed`,
 * `url_too_large`, `unsupported_audio`, `audio_parse_failed`, `duration_exceeded`, `conflict`, `key_cap_reached`,
 * `insufficient_balance`, `rate_limited` (too much waits), `render_failed`, `storage_failed`, `client_gone`.
 */
export async function clone(cloning: Cloning, request: CloneRequest): Promise<Cloned> {
  const known = identify(cloning, request.source)
  const own = known.sha256 === undefined ? undefined : findOwn(cloning, request, known.sha256)
  if (own) return retryWhileBusy(() => recordDuplicate(cloning, request, own, known.url))
  const reference = await obtain(cloning, request, known)
  try {
    const turn = `${request.caller.accountId} ${reference.sha256}`
    return await inTurn(cloning, request, turn, () => cloneReference(cloning, request, reference, known.url))
  } finally {
    await reference.discard()
  }
}

function findOwn({ db }: Cloning, { caller }: CloneRequest, sha256: string): Clone | undefined {
  return findCloneOf(db, caller.accountId, sha256)
}

/** Runs `work` after all earlier work of the same `name`. */
async function inTurn<T>(
  { turns }: Pick<Cloning, 'turns'>,
  { deadline }: CloneRequest,
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  const before = turns.get(name) ?? Promise.resolve()
  const own = runWithin(deadline, before, waitedTooLong).then(work)
  // A request that gives up waiting keeps its place until the one before it ends, so that the next one does not start
  // beside that one.
  const turn = Promise.allSettled([before, own])
  turns.set(name, turn)
  void turn.then(() => turns.get(name) === turn && turns.delete(name))
  return own
}

function waitedTooLong(): AppError {
  const message = 'The same recording is being cloned by another request; nothing was charged. Try again.'
  return new AppError('render_failed', message)
}

async function cloneReference(
  cloning: Cloning,
  request: CloneRequest,
  reference: ReceivedReference,
  url: string | undefined,
): Promise<Cloned> {
  const { scheduler, converter } = cloning
  const { caller, deadline, signal, source } = request
  const own = findOwn(cloning, request, reference.sha256)
  if (own) return retryWhileBusy(() => recordDuplicate(cloning, request, own, url))
  const param = Object.keys(source)[0]!
  const admitted = letCloneIn(scheduler, { queueKey: caller.keyId, deadline }, converter())
  try {
    const recording = await analyzeRecording(scheduler, reference.path, { admitted, deadline, signal, param })
    ensureThere(request)
    return await payFor(cloning, request, { reference, url, recording, admitted })
  } finally {
    admitted.place.leave()
  }
}

/** Throws `client_gone` when the client has left. A client that leaves before the voice is made pays nothing. */
function ensureThere({ signal }: CloneRequest): void {
  if (signal.aborted) throw new AppError('client_gone', 'The client left before the voice was made.')
}

type Analyzed = {
  readonly reference: ReceivedReference
  readonly url: string | undefined
  readonly recording: Recording
  readonly admitted: Admitted
}

async function payFor(cloning: Cloning, request: CloneRequest, analyzed: Analyzed): Promise<Cloned> {
  const { reference, url } = analyzed
  const id = newCloneId()
  const { made, remaining } = await pay(cloning, {
    usage: { ...usageOf(request, id), characters: cloneUnits },
    faults: request.faults,
    admit: () => ensureRoom(cloning, request.caller.accountId),
    async make() {
      const startedAtMs = performance.now()
      const clone = await make(cloning, request, id, analyzed)
      return { clone, fileName: null, audioMs: null, processingMs: Math.round(performance.now() - startedAtMs) }
    },
    record: ({ clone }) => recordClone(cloning, { clone, reference, url }),
    async discard({ clone }) {
      await cloning.storage.remove(clone.demoName)
      await retryWhileBusy(() => removeUnusedReference(cloning, clone.sha256))
    },
    keepsUncharged: false,
  })
  assert(remaining !== null, 'a clone is never uncharged')
  return { clone: made.clone, duplicate: false, units: cloneUnits, remaining }
}

/** Makes the voice and its demo. */
async function make(
  cloning: Cloning,
  request: CloneRequest,
  id: string,
  { reference, recording, admitted }: Analyzed,
): Promise<Clone> {
  const { scheduler, catalogue, storage, converter } = cloning
  const { caller, requestId, name, faults, deadline, signal } = request
  const { name: faultName, latencyMs } = faults ?? noFaults
  if (latencyMs > 0) await Bun.sleep(latencyMs)
  ensureThere(request)
  await storage.ensureSpace()
  const language = request.language ?? (await languageOfName(catalogue, name))
  const queue = { admitted, deadline, signal }
  const voice = await enrolVoice(scheduler, catalogue, recording, { language, converter: converter(), ...queue })
  const clone: Clone = {
    ...voice,
    id,
    accountId: caller.accountId,
    requestId,
    sha256: reference.sha256,
    name,
    warnings: recording.warnings,
    recordingMs: recording.durationMs,
    demoName: cloneDemoName(id, voice.profile, cloning.mp3SampleRate),
    createdAtMs: Date.now(),
  }
  await reference.flush()
  const fault = faultName && demoFaults[faultName]
  await renderDemo(cloning, clone, { queueKey: caller.keyId, deadline, place: admitted.place, fault })
  return clone
}

/** The stage of the demo that each fault on demand makes fail. */
const demoFaults: Partial<Record<FaultName, RenderFault>> = { render_failed: 'synthesize', storage_failed: 'store' }

/** Deletes a clone. Throws `voice_not_found` when the account has no such clone. */
export async function removeClone(cloning: Cloning, accountId: string, id: string): Promise<void> {
  const { db } = cloning
  const clone = findClone(db, accountId, id)
  if (!clone || !(await forgetClone(cloning, clone))) {
    const message = `voice_id: this account has no cloned voice ${JSON.stringify(id.slice(0, 64))}.`
    throw new AppError('voice_not_found', message, { param: 'voice_id' })
  }
}

type Forgetting = Pick<Cloning, 'db' | 'storage' | 'references'>

/**
 * Removes the voice and its demo, and its recording unless other clones of it exist. `forget` deletes the row and
 * returns whether there was one. The demo is removed first, because a missing demo is rendered again, and a second time
 * in case it was rendered meanwhile.
 */
export async function forgetClone(
  forgetting: Forgetting,
  clone: Clone,
  forget: () => boolean = () => deleteClone(forgetting.db, clone),
): Promise<boolean> {
  const { storage } = forgetting
  await storage.remove(clone.demoName)
  if (!(await retryWhileBusy(forget))) return false
  await storage.remove(clone.demoName)
  await retryWhileBusy(() => removeUnusedReference(forgetting, clone.sha256))
  return true
}
