/**
 * Access to catalogue voices: the administrators' settings of single voices, and plans, which the public interface calls groups. The
 * lists are cached until the catalogue or the database changes, also by another process. The settings of a voice
 * outlive its pack, in case it comes back.
 */
import type { Database } from '../db/database'
import { createForeignWrites, prepare } from '../db/statements'
import type { ComputeProvider } from '../config'
import { AppError } from '../errors'
import type { Catalogue, CatalogueVoice } from './catalogue'

/** The settings that an administrator may change. */
export type VoiceSettings = {
  /** Whether the voice can be used at all. */
  readonly active: boolean
  /** Whether accounts without a plan may use the voice. */
  readonly public: boolean
  readonly featured: boolean
  /** Order among the featured voices; the lowest comes first. */
  readonly position: number
  /** null: the catalogue's name. */
  readonly displayName: string | null
  /** The execution provider of an installed voice's model. null: the server's setting. */
  readonly provider: ComputeProvider | null
}

export type Plan = { readonly id: string; readonly name: string; readonly voices: readonly string[] }

export type ListedVoice = { readonly voice: CatalogueVoice; readonly displayName: string; readonly featured: boolean }

/** `defaultId`: of the first voice, which this build may lack; undefined for an empty list. */
type VoiceList = { readonly defaultId: string | undefined; readonly voices: readonly ListedVoice[] }

export type Plans = ReturnType<typeof createPlans>

const defaults: VoiceSettings = {
  active: true,
  public: true,
  featured: false,
  position: 0,
  displayName: null,
  provider: null,
}

/** Creates the cache of the voice lists by plan. */
export function createPlans(db: Database, catalogue: Catalogue) {
  const foreignWrites = createForeignWrites(db)
  let state: ReturnType<typeof load> | undefined

  function load(foreign: number, generation: number) {
    const settingsOf = readAllSettings(db)
    const plans = new Map(listPlans(db).map((plan) => [plan.id, plan]))
    const listed = (isIn: (id: string) => boolean): VoiceList => {
      const ids = catalogue.ids.filter((id) => settingsOf(id).active && isIn(id))
      const featured = ids.filter((id) => settingsOf(id).featured)
      featured.sort((a, b) => settingsOf(a).position - settingsOf(b).position)
      const ordered = [...featured, ...ids.filter((id) => !settingsOf(id).featured)]
      const voices = ordered.flatMap((id) => {
        const voice = catalogue.find(id)
        const { featured, displayName } = settingsOf(id)
        return voice ? { voice, featured, displayName: displayName ?? voice.displayName } : []
      })
      return { defaultId: ordered[0], voices }
    }
    const byPlan = new Map<string | null, VoiceList>([[null, listed((id) => settingsOf(id).public)]])
    for (const { id, voices } of plans.values()) {
      const members = new Set(voices)
      byPlan.set(
        id,
        listed((voice) => members.has(voice)),
      )
    }
    const { voices } = catalogue
    return { foreign, generation, voices, settingsOf, plans, byPlan, all: listed(() => true).voices }
  }

  function current() {
    const foreign = foreignWrites()
    const generation = generations.get(db) ?? 0
    const isCurrent = state?.foreign === foreign && state.generation === generation && state.voices === catalogue.voices
    return isCurrent ? state! : (state = load(foreign, generation))
  }

  return {
    /**
     * Lists the voices that accounts of the plan may use, in order. null: accounts without a plan, and no account.
     */
    listFor(planId: string | null): readonly ListedVoice[] {
      return current().byPlan.get(planId)?.voices ?? []
    },

    /**
     * Returns the id of the first voice of the plan's list, which speaks requests without `voice_id`; undefined for an
     * empty list. A built-in voice that this build lacks keeps its place, so the id may be that of no voice.
     */
    defaultIdFor(planId: string | null): string | undefined {
      return current().byPlan.get(planId)?.defaultId
    },

    /** Lists every active voice, regardless of plans. */
    listAll: () => current().all,

    /** Returns the administrators' settings of a voice. */
    settingsOf: (voiceId: string): VoiceSettings => current().settingsOf(voiceId),

    /** Finds a plan by id or name. */
    findPlan(idOrName: string): Plan | undefined {
      const { plans } = current()
      return plans.get(idOrName) ?? [...plans.values()].find(({ name }) => name === idOrName)
    },

    /** Returns the provider of the model in that directory: the setting of the first of its voices that has one. */
    providerOf(directory: string): ComputeProvider | undefined {
      const { settingsOf } = current()
      for (const { id, model } of catalogue.voices) {
        const provider = model?.directory === directory ? settingsOf(id).provider : null
        if (provider !== null) return provider
      }
      return undefined
    },

    /**
     * Returns the voice of that id or, without an id, the first of the plan's list. Throws `voice_not_found`,
     * `voice_disabled`, `voice_not_allowed`.
     */
    choose(planId: string | null, voiceId: string | undefined): CatalogueVoice {
      const list = this.listFor(planId)
      if (voiceId === undefined) return chooseDefault(catalogue, this.defaultIdFor(planId))
      const shown = JSON.stringify(voiceId.length > 64 ? `${voiceId.slice(0, 64)}…` : voiceId)
      const voice = catalogue.find(voiceId)
      if (!voice)
        throw refuseVoice('voice_not_found', `there is no voice ${shown}; GET /api/v1/voices lists the available ones`)
      if (!current().settingsOf(voiceId).active)
        throw refuseVoice('voice_disabled', `the voice ${shown} is deactivated`)
      if (!list.some((listed) => listed.voice === voice))
        throw refuseVoice('voice_not_allowed', `the voice ${shown} is not in the voice plan of this account`)
      return voice
    },
  }
}

function chooseDefault(catalogue: Catalogue, id: string | undefined): CatalogueVoice {
  if (id === undefined) throw refuseVoice('voice_not_found', 'there is no voice in the list of this account')
  const voice = catalogue.find(id)
  if (voice) return voice
  throw refuseVoice(
    'voice_not_found',
    `the default voice "${id}" is not in this build of the server, and no other voice takes its place; name a voice of GET /api/v1/voices`,
  )
}

function refuseVoice(code: 'voice_not_found' | 'voice_disabled' | 'voice_not_allowed', reason: string): AppError {
  return new AppError(code, `voice_id: ${reason}.`, { param: 'voice_id' })
}

/** Numbers of changes by this process. */
const generations = new WeakMap<Database, number>()

function noteChange(db: Database): void {
  generations.set(db, (generations.get(db) ?? 0) + 1)
}

type SettingsRow = {
  voiceId: string
  active: number
  public: number
  featured: number
  position: number
  displayName: string | null
  provider: ComputeProvider | null
}

/** Reads all settings. The returned function gives those of a voice id, or the defaults. */
export function readAllSettings(db: Database): (voiceId: string) => VoiceSettings {
  const sql = `SELECT voice_id AS voiceId, active, public, featured, position, display_name AS displayName, provider
    FROM voice_settings`
  const rows = prepare<[], SettingsRow>(db, sql).all()
  const settings = new Map<string, VoiceSettings>(
    rows.map(({ voiceId, active, public: isPublic, featured, ...rest }) => [
      voiceId,
      { active: active === 1, public: isPublic === 1, featured: featured === 1, ...rest },
    ]),
  )
  return (voiceId) => settings.get(voiceId) ?? defaults
}

export function writeSettings(db: Database, voiceId: string, settings: VoiceSettings): void {
  const { active, public: isPublic, featured, position, displayName, provider } = settings
  prepare(
    db,
    `INSERT OR REPLACE INTO voice_settings (voice_id, active, public, featured, position, display_name, provider)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  ).run(voiceId, Number(active), Number(isPublic), Number(featured), position, displayName, provider)
  noteChange(db)
}

/**
 * Lists the ids of the featured voices in their order, also of those that are not installed now. `ids`: the order of the
 * list, for voices of the same position.
 */
export function listFeatured(db: Database, ids: readonly string[]): string[] {
  const sql = 'SELECT voice_id AS id, position FROM voice_settings WHERE featured = 1'
  const rows = prepare<[], { id: string; position: number }>(db, sql).all()
  const places = new Map(ids.map((id, place) => [id, place]))
  const placeOf = (id: string) => places.get(id) ?? ids.length
  return rows.sort((a, b) => a.position - b.position || placeOf(a.id) - placeOf(b.id)).map(({ id }) => id)
}

/** Returns the position after all featured voices. */
export function nextPosition(db: Database): number {
  const sql = 'SELECT coalesce(max(position), 0) + 1 AS next FROM voice_settings WHERE featured = 1'
  return prepare<[], { next: number }>(db, sql).get()!.next
}

export function listPlans(db: Database): Plan[] {
  const rows = prepare<[], { id: string; name: string; voiceId: string | null }>(
    db,
    `SELECT id, name, voice_id AS voiceId FROM plans LEFT JOIN plan_voices ON plan_id = id
     ORDER BY created_at_ms, id, voice_id`,
  ).all()
  const plans = new Map<string, { id: string; name: string; voices: string[] }>()
  for (const { id, name, voiceId } of rows) {
    const plan = plans.get(id) ?? { id, name, voices: [] }
    if (voiceId !== null) plan.voices.push(voiceId)
    plans.set(id, plan)
  }
  return [...plans.values()]
}

export function findPlan(db: Database, id: string): Plan | undefined {
  return listPlans(db).find((plan) => plan.id === id)
}

/** Returns the name of a plan that exists. */
export function planName(db: Database, id: string): string {
  return prepare<[string], { name: string }>(db, 'SELECT name FROM plans WHERE id = ?').get(id)!.name
}

/** Creates the plan, or replaces the one of the same id. Throws `conflict` when another one has the name. */
export function writePlan(db: Database, { id, name, voices }: Plan, nowMs: number): void {
  const taken = prepare(db, 'SELECT 1 FROM plans WHERE name = ? AND id <> ?').get(name, id)
  if (taken)
    throw new AppError('conflict', `name: there is a group ${JSON.stringify(name)} already.`, { param: 'name' })
  prepare(
    db,
    'INSERT INTO plans (id, name, created_at_ms) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET name = excluded.name',
  ).run(id, name, nowMs)
  prepare(db, 'DELETE FROM plan_voices WHERE plan_id = ?').run(id)
  const insert = prepare(db, 'INSERT INTO plan_voices (plan_id, voice_id) VALUES (?, ?)')
  for (const voice of new Set(voices)) insert.run(id, voice)
  noteChange(db)
}

export function deletePlan(db: Database, id: string): void {
  prepare(db, 'DELETE FROM plans WHERE id = ?').run(id)
  noteChange(db)
}
