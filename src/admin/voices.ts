/** Administrative operations on the catalogue: single voices, and groups, as the interface calls voice plans. */
import { isPlanUsed } from '../account/accounts'
import { computeProviders, type ComputeProvider } from '../config'
import { AppError } from '../errors'
import {
  nullableText,
  optionalBoolean,
  optionalInteger,
  optionalOneOf,
  optionalText,
  readText,
  refuse,
  type Fields,
} from '../fields'
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
import {
  found,
  nameRules,
  optionalVoices,
  runOperation,
  type Administration,
  type VoiceAdministration,
} from './administration'

const positionMax = 1_000_000

/**
 * Lists every voice. Public voices come first, in the order of their list, so that the first one is the default. Voices
 * that are only in plans follow, then deactivated voices.
 */
export function listVoices({ db, catalogue }: Pick<VoiceAdministration, 'db' | 'catalogue'>) {
  const settingsOf = readAllSettings(db)
  const items = catalogue.voices.map((voice) => describeVoice(voice, settingsOf(voice.id)))
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
export function updateVoice(administration: VoiceAdministration, id: string, fields: Fields) {
  const { db, catalogue } = administration
  return runOperation(administration, 'voices update', () => {
    const voice = found(catalogue.find(id), 'voice', id)
    const settings = readAllSettings(db)(id)
    const featured = optionalBoolean(fields, 'featured') ?? settings.featured
    const provider = readProvider(fields, voice)
    const displayName = nullableText(fields, 'display_name', nameRules)
    const edited: VoiceSettings = {
      active: optionalBoolean(fields, 'active') ?? settings.active,
      public: optionalBoolean(fields, 'public') ?? settings.public,
      featured,
      position:
        optionalInteger(fields, 'position', { min: 0, max: positionMax }) ??
        (featured && !settings.featured ? nextPosition(db) : settings.position),
      displayName: displayName === undefined ? settings.displayName : displayName,
      provider: provider === undefined ? settings.provider : provider,
    }
    writeSettings(db, id, edited)
    const result = describeVoice(voice, edited)
    return { subject: id, before: describeVoice(voice, settings), after: result, result }
  })
}

/** Reads the provider of a neural voice; other voices have none. null: the server's setting. */
function readProvider(fields: Fields, { model }: CatalogueVoice): ComputeProvider | null | undefined {
  const provider = fields.provider === null ? null : optionalOneOf(fields, 'provider', computeProviders)
  if (provider && !model) throw refuse('provider', provider, 'only voices of installed packs have a provider')
  return provider
}

export function createGroup(administration: VoiceAdministration, fields: Fields) {
  const { db } = administration
  const name = checkGroupName(readText(fields, 'name', nameRules))
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
    const name = optionalText(fields, 'name', nameRules)
    writePlan(
      db,
      {
        id,
        name: name === undefined ? before.name : checkGroupName(name),
        voices: optionalVoices(administration, fields, before.voices) ?? before.voices,
      },
      nowMs,
    )
    const result = findPlan(db, id)!
    return { subject: id, before, after: result, result }
  })
}

/** Deletes a group. Throws `conflict` while accounts use it. */
export function deleteGroup(administration: Administration, id: string) {
  const { db } = administration
  return runOperation(administration, 'group delete', () => {
    const before = found(findPlan(db, id), 'group', id)
    if (isPlanUsed(db, id)) throw new AppError('conflict', 'Accounts use this group; give them another one first.')
    deletePlan(db, id)
    return { subject: id, before, after: null, result: { ok: true, deleted: id } }
  })
}

/** Refuses `all`, which stands for every voice in the `group` parameter of the voice list. */
function checkGroupName(name: string): string {
  if (name.toLowerCase() === 'all') throw refuse('name', name, 'any other name is allowed: "all" is reserved')
  return name
}

function describeVoice(voice: CatalogueVoice, settings: VoiceSettings) {
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
