/** `GET /api/v1/voices` (4.2 of the interface). */
import type { Caller } from '../account/keys'
import { limits } from '../config'
import { createMemo } from '../db/statements'
import { AppError } from '../errors'
import { instant } from '../paging'
import { converterSampleRate } from '../cloning/convert/converter-pack'
import { demoName } from '../voice/catalogue'
import { listClones, type ListedClone } from '../voice/clones'
import { isSlow } from '../packs/advice'
import type { ModelFiles } from '../speech/voice'
import type { ListedVoice } from '../voice/plans'
import type { HttpContext } from './context'
import type { Handlers } from './routes'

type Context = Pick<HttpContext, 'db' | 'speaking' | 'packs' | 'addresses'>

export function voiceHandlers({ db, speaking, packs, addresses }: Context) {
  const { plans, catalogue, converter, mp3SampleRate } = speaking
  const rememberClones = createMemo(db, limits.rememberedMax)
  /**
   * The serialized items of each list, comma-separated, by storage URL. A list stays the same object until something
   * changes.
   */
  const written = new WeakMap<readonly ListedVoice[], Map<string, string>>()

  const listFor = (caller: Caller | undefined, group: unknown): readonly ListedVoice[] => {
    if (group === undefined) return plans.listFor(caller?.planId ?? null)
    if (caller?.role !== 'admin')
      throw new AppError('group_forbidden', 'group: only administrators may use it.', { param: 'group' })
    if (group === 'all') return plans.listAll()
    const found = plans.findPlan(String(group))
    if (found) return plans.listFor(found.id)
    const shown = JSON.stringify(String(group).slice(0, 100))
    throw new AppError('group_not_found', `group: there is no group ${shown}.`, { param: 'group' })
  }

  /** The folders of the packs that are too slow for this machine. A list is new after any of them changes. */
  const slowDirectories = () =>
    new Set(packs.registry.packs.filter((pack) => isSlow(pack)).map(({ model }) => model.directory))

  function write(list: readonly ListedVoice[], storageUrl: string): string {
    let byAddress = written.get(list)
    if (!byAddress) written.set(list, (byAddress = new Map()))
    const known = byAddress.get(storageUrl)
    if (known !== undefined) return known
    const slow = slowDirectories()
    const urlOf = ({ voice }: ListedVoice) => `${storageUrl}/${demoName(voice, mp3SampleRate)}`
    const items = list.map((listed) => JSON.stringify(describeVoice(listed, urlOf(listed), slow))).join()
    if (byAddress.size >= limits.clientAddressesMax) byAddress.clear()
    byAddress.set(storageUrl, items)
    return items
  }

  function bodyOf(list: readonly ListedVoice[], clones: readonly ListedClone[], storageUrl: string): string {
    const slow = clones.length > 0 ? slowDirectories() : noDirectories
    const owned = clones.map((clone) => JSON.stringify(describeOwned(clone, `${storageUrl}/${clone.demoName}`, slow)))
    const items = [write(list, storageUrl), ...owned].filter((item) => item !== '')
    return `{"voices":[${items.join()}],"total":${list.length + clones.length}}`
  }

  function describeOwned(clone: ListedClone, demoUrl: string, slow: ReadonlySet<string>) {
    const base = catalogue.find(clone.baseVoiceId)
    const conversion = clone.method === 'converted' ? converter() : undefined
    return {
      id: clone.id,
      display_name: clone.name,
      demo_url: demoUrl,
      featured: false,
      owned: true,
      language: clone.language,
      gender: clone.gender,
      engine: base?.engine ?? null,
      sample_rate: clone.method === 'converted' ? converterSampleRate : (base?.sampleRate ?? null),
      description: null,
      deterministic: (base?.deterministic ?? true) && (conversion?.deterministic ?? true),
      method: clone.method,
      warnings: clone.warnings,
      ...([base?.model, conversion?.model].some((model) => isOf(slow, model)) && { slow: true }),
      duration_sec: clone.recordingMs / 1000,
      created_at: instant(clone.createdAtMs),
    }
  }

  return {
    listVoices({ request, caller, fields: { group }, headers }) {
      const list = listFor(caller, group)
      headers['cache-control'] = caller ? 'private, no-store' : 'public, max-age=60'
      headers.vary = 'Authorization'
      headers['content-type'] = 'application/json'
      const clones =
        caller && group === undefined ? rememberClones(caller.accountId, () => listClones(db, caller.accountId)) : []
      return bodyOf(list, clones, addresses(request).storageUrl)
    },
  } satisfies Partial<Handlers>
}

const noDirectories: ReadonlySet<string> = new Set()

function isOf(slow: ReadonlySet<string>, model: ModelFiles | undefined): boolean {
  return model !== undefined && slow.has(model.directory)
}

function describeVoice({ voice, displayName, featured }: ListedVoice, demoUrl: string, slow: ReadonlySet<string>) {
  return {
    id: voice.id,
    display_name: displayName,
    demo_url: demoUrl,
    featured,
    language: voice.language,
    gender: voice.gender,
    engine: voice.engine,
    sample_rate: voice.sampleRate,
    description: voice.description,
    deterministic: voice.deterministic,
    ...(isOf(slow, voice.model) && { slow: true }),
  }
}
