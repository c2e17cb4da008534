/** What administrators do with cloned voices and the recordings they came from. */
import { enrolVoice, examineRecording } from '../speech/cloning'
import type { Pool } from '../speech/pool'
import { readText, type Fields } from '../fields'
import { instant } from '../paging'
import type { References } from '../storage/references'
import type { Storage } from '../storage/storage'
import { cloneDemoName } from '../voice/catalogue'
import {
  deleteClone,
  findAnyClone,
  hasReference,
  listClones,
  purgeReference,
  updateClone,
  type Clone,
  type ListedClone,
} from '../voice/clones'
import { act, found, type Administration } from './administration'
import { AppError } from '../errors'

export type Stores = { readonly storage: Storage; readonly references: References }

/** Those of the account that the field `account_id` names, oldest first. */
export function listAccountClones({ db }: Administration, fields: Fields) {
  const accountId = readText(fields, 'account_id', { charactersMax: 64 })
  return { items: listClones(db, accountId).map((clone) => describe(clone, hasReference(db, clone.sha256))) }
}

/** Throws `not_found`. */
export async function deleteAnyClone(admin: Administration, { storage, references }: Stores, id: string) {
  const clone = requireClone(admin, id)
  await storage.remove(clone.demoName)
  const wasLast = act(admin, 'clone delete', () => ({
    subject: id,
    before: describe(clone, hasReference(admin.db, clone.sha256)),
    after: null,
    result: deleteClone(admin.db, clone),
  }))
  if (wasLast) await references.remove(clone.sha256)
  return { ok: true, deleted: id }
}

/** Deletes the recording at once; the voices made from it stay. Throws `not_found`. */
export async function purgeRecording(admin: Administration, { references }: Stores, id: string) {
  const clone = requireClone(admin, id)
  const after = act(admin, 'clone purge', () => {
    const before = describe(clone, hasReference(admin.db, clone.sha256))
    purgeReference(admin.db, clone.sha256)
    const after = describe(clone, false)
    return { subject: id, before, after, result: after }
  })
  await references.remove(clone.sha256)
  return after
}

/**
 * Makes the voice anew from its recording, with what this version knows. The demo is rendered when it is first asked
 * for. Throws `not_found`, and what making a voice throws.
 */
export async function reEnrol(admin: Administration, { storage, references }: Stores, pool: Pool, id: string) {
  const clone = requireClone(admin, id)
  const reference = await references.take(clone.sha256)
  if (!reference) throw new AppError('not_found', 'The recording of this voice is not kept any more.')
  try {
    const queue = { queueKey: 'clone', timeoutMs: reEnrolTimeoutMs }
    const recording = await examineRecording(pool, reference.path, queue)
    const voice = await enrolVoice(pool, admin.catalogue, recording, { language: clone.language, ...queue })
    const renewed: Clone = { ...clone, ...voice, demoName: cloneDemoName(id, voice.profile) }
    const after = act(admin, 'clone re-enrol', () => {
      updateClone(admin.db, renewed)
      const after = describe(renewed, true)
      return { subject: id, before: describe(clone, true), after, result: after }
    })
    if (renewed.demoName !== clone.demoName) await storage.remove(clone.demoName)
    return after
  } finally {
    await reference.discard()
  }
}

const reEnrolTimeoutMs = 60_000

function requireClone({ db }: Administration, id: string): Clone {
  return found(findAnyClone(db, id), 'cloned voice', id)
}

function describe(clone: ListedClone, hasRecording: boolean) {
  return {
    id: clone.id,
    account_id: clone.accountId,
    display_name: clone.name,
    language: clone.language,
    gender: clone.gender,
    method: clone.method,
    base_voice_id: clone.baseVoiceId,
    duration_sec: clone.durationMs / 1000,
    has_recording: hasRecording,
    created_at: instant(clone.createdAtMs),
  }
}
