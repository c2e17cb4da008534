/** Administrative operations on the catalogue: single voices, and groups, as the interface calls voice plans. */
import { findPlanUsers } from '../account/accounts'
import { AppError } from '../errors'
import { refuse, type Fields } from '../fields'
import { isSlow } from '../packs/advice'
import type { PackRegistry } from '../packs/registry'
import type { Pack } from '../speech/models/pack'
import { readFields } from '../operations/read-fields'
import { groupChanges, newGroup, voiceChanges } from '../operations/voices'
import type { CatalogueVoice } from '../voice/catalogue'
import {
  deletePlan,
  findPlan,
  listPlans,
  nextPosition,
  readAllSettings,
  writePlan,
  writeSettings,
  type VoiceSettings,
} from '../voice/plans'
import { found, optionalVoices, runOperation, type Administration, type VoiceAdministration } from './administration'

/** Accounts that a refusal names. */
const namedUsersMax = 5

/**
 * Lists every voice. Public voices come first, in the order of their list, so that the first one is the default. Voices
 * that are only in plans follow, then deactivated voices.
 */
export function listVoices(
  { db, catalogue }: Pick<VoiceAdministration, 'db' | 'catalogue'>,
  { packs }: Pick<PackRegistry, 'packs'>,
) {
  const settingsOf = readAllSettings(db)
  const items = catalogue.voices.map((voice) => {
    return { ...describeSettings(voice, settingsOf(voice.id)), ...describePack(voice, packs) }
  })
  return { items: items.sort(compareListed), next_cursor: null }
}

type Listed = { active: boolean; public: boolean; featured: boolean; position: number }

/** Returns 0 for voices that stay in the order of the catalogue. */
function compareListed(a: Listed, b: Listed): number {
  const rank = ({ active, public: isPublic }: Listed) => (active ? (isPublic ? 0 : 1) : 2)
  const place = ({ featured, position }: Listed) => (featured ? position : Infinity)
  return rank(a) - rank(b) || (place(a) === place(b) ? 0 : place(a) - place(b))
}

/** Changes the given settings. A newly featured voice without a position comes last. Null clears `display_name`. */
export function updateVoice(
  administration: VoiceAdministration,
  id: string,
  fields: Fields,
  { packs }: Pick<PackRegistry, 'packs'> = { packs: [] },
) {
  const { db, catalogue } = administration
  return runOperation(administration, 'voices update', () => {
    const voice = found(catalogue.find(id), 'voice', id)
    const settings = readAllSettings(db)(id)
    const {
      active = settings.active,
      public: isPublic = settings.public,
      featured = settings.featured,
      position = featured && !settings.featured ? nextPosition(db) : settings.position,
      display_name: displayName = settings.displayName,
      provider = settings.provider,
    } = readFields(fields, voiceChanges)
    if (provider && !voice.model) throw refuse('provider', provider, 'only voices of installed packs have a provider')
    const edited = { active, public: isPublic, featured, position, displayName, provider }
    writeSettings(db, id, edited)
    const after = describeSettings(voice, edited)
    const result = { ...after, ...describePack(voice, packs) }
    return { subject: id, before: describeSettings(voice, settings), after, result }
  })
}

export function createGroup(administration: VoiceAdministration, fields: Fields) {
  const { db } = administration
  const { name } = readFields(fields, { name: newGroup.name })
  const voices = optionalVoices(administration, fields) ?? []
  return runOperation(administration, 'group create', (nowMs) => {
    const id = Bun.randomUUIDv7()
    writePlan(db, { id, name, voices }, nowMs)
    const result = findPlan(db, id)!
    return { subject: id, before: null, after: result, result }
  })
}

export function listGroups({ db }: Administration) {
  return { items: listPlans(db), next_cursor: null }
}

export function updateGroup(administration: VoiceAdministration, id: string, fields: Fields) {
  const { db } = administration
  return runOperation(administration, 'group update', (nowMs) => {
    const before = found(findPlan(db, id), 'group', id)
    const { name = before.name } = readFields(fields, { name: groupChanges.name })
    const voices = optionalVoices(administration, fields, before.voices) ?? before.voices
    writePlan(db, { id, name, voices }, nowMs)
    const result = findPlan(db, id)!
    return { subject: id, before, after: result, result }
  })
}

/** Deletes a group. Throws `conflict` while accounts use it. */
export function deleteGroup(administration: Administration, id: string) {
  const { db } = administration
  return runOperation(administration, 'group delete', () => {
    const before = found(findPlan(db, id), 'group', id)
    const users = findPlanUsers(db, id, namedUsersMax + 1)
    if (users.length > 0) {
      const named = users.slice(0, namedUsersMax).join(', ') + (users.length > namedUsersMax ? ' and more' : '')
      throw new AppError('conflict', `Accounts use this group (${named}); give them another one first.`)
    }
    deletePlan(db, id)
    return { subject: id, before, after: null, result: { ok: true, deleted: id } }
  })
}

export function describeSettings(voice: CatalogueVoice, settings: VoiceSettings) {
  return {
    id: voice.id,
    display_name: settings.displayName ?? voice.displayName,
    language: voice.language,
    gender: voice.gender,
    engine: voice.engine,
    sample_rate: voice.sampleRate,
    active: settings.active,
    public: settings.public,
    featured: settings.featured,
    position: settings.position,
    provider: settings.provider,
  }
}

/** Describes the pack of an installed voice. */
export function describePack({ model, deterministic }: CatalogueVoice, packs: readonly Pack[]) {
  const pack = model && packs.find((one) => one.model.directory === model.directory)
  return {
    deterministic,
    pack: pack?.name ?? null,
    license: pack?.license ?? null,
    real_time_factor: pack?.pace ? Number(pack.pace.realTimeFactor.toPrecision(3)) : null,
    slow: pack !== undefined && isSlow(pack),
  }
}
