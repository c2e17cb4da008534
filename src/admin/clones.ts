/** Administrative operations on cloned voices and their recordings. */
import { forgetClone } from '../clone/clone'
import type { Cloning } from '../clone/cloning'
import { removeUnusedReference } from '../clone/records'
import { retryWhileBusy } from '../db/statements'
import type { Deadline } from '../deadline'
import { AppError } from '../errors'
import { readText, type Fields } from '../fields'
import { instant } from '../paging'
import { enrolVoice, analyzeRecording, letCloneIn, type EnrolledVoice } from '../clone/enrolment'
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
import { requireAccount } from './accounts'
import { found, runOperation, type Administration, type VoiceAdministration } from './administration'

export type Stores = { readonly storage: Storage; readonly references: References }

/** Lists the clones of the account in the field `account_id` with their demos, oldest first. Throws `not_found`. */
export function listAccountClones(admin: Administration, fields: Fields, storageUrl: string) {
  const { db } = admin
  const { id } = requireAccount(db, readText(fields, 'account_id', { charactersMax: 64 }))
  const items = listClones(db, id).map((clone) => ({
    ...describe(clone, hasReference(db, clone.sha256)),
    demo_url: `${storageUrl}/${clone.demoName}`,
  }))
  return { items, next_cursor: null }
}

/** Deletes a clone of any account. Throws `not_found`. */
export async function deleteAnyClone(admin: Administration, stores: Stores, id: string) {
  const { db } = admin
  const clone = requireClone(admin, id)
  const forget = () =>
    runOperation(admin, 'clone delete', () => {
      const before = describe(requireClone(admin, id), hasReference(db, clone.sha256))
      return { subject: id, before, after: null, result: deleteClone(db, clone) }
    })
  await forgetClone({ db, ...stores }, clone, forget)
  return { ok: true, deleted: id }
}

/** Deletes the recording of a clone. The voices made from it stay. Throws `not_found`. */
export async function purgeRecording(admin: Administration, { references }: Stores, id: string) {
  const { db } = admin
  const purge = () =>
    runOperation(admin, 'clone purge', () => {
      const clone = requireClone(admin, id)
      const before = describe(clone, hasReference(db, clone.sha256))
      purgeReference(db, clone.sha256)
      return { subject: id, before, after: describe(clone, false), result: clone }
    })
  const clone = await retryWhileBusy(purge)
  await retryWhileBusy(() => removeUnusedReference({ db, references }, clone.sha256))
  return describe(clone, false)
}

/**
 * Makes the voice anew from its recording, with the code of this version and the method of new voices: converted where
 * a tone converter is installed, else adapted. The demo is rendered at its first request. Throws `not_found` and the
 * errors of `enrolVoice`.
 */
export async function reEnrol(
  admin: VoiceAdministration,
  { storage, references }: Stores,
  { scheduler, converter, mp3SampleRate }: Pick<Cloning, 'scheduler' | 'converter' | 'mp3SampleRate'>,
  id: string,
  deadline: Deadline,
) {
  const clone = requireClone(admin, id)
  const reference = await references.take(clone.sha256)
  if (!reference) throw new AppError('not_found', 'The recording of this voice was deleted.')
  try {
    const voice = await makeVoice(admin, { scheduler, converter }, { path: reference.path, clone, deadline })
    const renewed: Clone = { ...clone, ...voice, demoName: cloneDemoName(id, voice.profile, mp3SampleRate) }
    const update = () =>
      runOperation(admin, 'clone re-enrol', () => {
        if (!updateClone(admin.db, renewed)) found(undefined, 'cloned voice', id)
        const hasRecording = hasReference(admin.db, clone.sha256)
        const after = describe(renewed, hasRecording)
        return { subject: id, before: describe(clone, hasRecording), after, result: after }
      })
    if (renewed.demoName === clone.demoName) return await retryWhileBusy(update)
    // A missing demo is rendered at its next request. The second removal covers a demo that was rendered in between.
    await storage.remove(clone.demoName)
    const after = await retryWhileBusy(update)
    await storage.remove(clone.demoName)
    return after
  } finally {
    await reference.discard()
  }
}

async function makeVoice(
  { catalogue }: VoiceAdministration,
  { scheduler, converter }: Pick<Cloning, 'scheduler' | 'converter'>,
  { path, clone, deadline }: { path: string; clone: Clone; deadline: Deadline },
): Promise<EnrolledVoice> {
  const admitted = letCloneIn(scheduler, { queueKey: 'clone', deadline }, converter())
  try {
    const recording = await analyzeRecording(scheduler, path, { admitted, deadline, param: 'file' })
    const { language } = clone
    return await enrolVoice(scheduler, catalogue, recording, { language, converter: converter(), admitted, deadline })
  } finally {
    admitted.place.leave()
  }
}

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
    duration_sec: clone.recordingMs / 1000,
    has_recording: hasRecording,
    created_at: instant(clone.createdAtMs),
  }
}
