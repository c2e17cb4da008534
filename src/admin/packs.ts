/** Administrative operations on the installed packs, the folders of models under `data/voices`. */
import { retryWhileBusy } from '../db/statements'
import type { Install } from '../packs/hub/installer'
import type { EnglishPhonemes, PackReport } from '../speech/models/pack'
import { adviceFor } from '../packs/advice'
import type { ModelFiles } from '../speech/voice'
import type { PackRegistry } from '../packs/registry'
import { findBuiltIn } from '../assets/built-in'
import { found, runOperation, type Administration } from './administration'
import { describeInstall } from './installs'

export type Packs = {
  readonly registry: PackRegistry
  /** Models in memory, named by the path of their graph. Empty without workers. */
  readonly loaded: () => readonly { readonly name: string; readonly processes: number; readonly memoryBytes: number }[]
  /** Running and recently ended installations from a hub. Empty without a server. */
  readonly installs: () => readonly Install[]
}

/** Lists the packs in the order of their installation. */
export function listPacks({ registry, loaded, installs }: Packs) {
  const reports = registry.list()
  const models = new Map(loaded().map((model) => [model.name, model]))
  const items = reports.map((report) => describe(report, models))
  const count = (state: PackReport['state']) => reports.filter((report) => report.state === state).length
  return {
    items,
    next_cursor: null,
    counts: { ready: count('ready'), checking: count('checking'), refused: count('refused') },
    installs: installs().map(describeInstall),
  }
}

/** Scans for changes now and checks refused packs again. The returned list states which packs are being checked. */
export async function rescanPacks(packs: Packs) {
  await packs.registry.rescan()
  return listPacks(packs)
}

/** Removes a pack. Its voices disappear at once, and running jobs finish. Throws `not_found`. */
export async function removePack(admin: Administration, { registry }: Packs, name: string) {
  const report = found(
    registry.list().find((one) => one.name === name),
    'pack',
    name,
  )
  const before = describe(report, new Map())
  const taken = found(registry.takeAway(name), 'pack', name)
  try {
    const log = () =>
      runOperation(admin, 'voices remove', () => ({ subject: name, before, after: null, result: undefined }))
    await retryWhileBusy(log)
  } catch (error) {
    taken.putBack()
    throw error
  }
  await taken.destroy()
  return { ok: true, deleted: name }
}

type Loaded = ReturnType<Packs['loaded']>[number]

function describe(report: PackReport, models: ReadonlyMap<string, Loaded>) {
  const { name, state } = report
  const reason = report.state === 'refused' ? report.reason : null
  if (report.state !== 'ready') return { name, state, reason, ...unknown }
  const { family, model, sampleRate, voices, deterministic, timesWords, sizeBytes, license, english, pace } =
    report.pack
  const advice = adviceFor(report.pack)
  const loaded = models.get(`${model.directory}/${model.graph}`)
  return {
    name,
    state,
    reason,
    family,
    english_reading: readingOf(english),
    voices: voices.map(({ id }) => id),
    sample_rate: sampleRate,
    deterministic,
    times_words: timesWords,
    size_bytes: sizeBytes,
    license,
    convolutions: convolutionsOf(model),
    expected_memory_bytes: model.memoryBytes,
    real_time_factor: pace ? Number(pace.realTimeFactor.toPrecision(3)) : null,
    slow: pace ? advice !== null : null,
    advice,
    loaded: loaded ? { processes: loaded.processes, memory_bytes: loaded.memoryBytes } : null,
  }
}

/** eSpeak NG reads for misaki's models too in a build without misaki's data. */
function readingOf(english: EnglishPhonemes | undefined): EnglishPhonemes | null {
  return english === 'misaki' && findBuiltIn() === undefined ? 'espeak' : (english ?? null)
}

/** The form of a model's convolutions, if it has a choice. Whether products are signed is no concern of users. */
function convolutionsOf({ convolutions }: ModelFiles): 'as_exported' | 'products' | 'two_dimensional' | null {
  if (convolutions === undefined) return null
  return convolutions.endsWith('products') ? 'products' : (convolutions as 'as_exported' | 'two_dimensional')
}

/** Fields of a pack that is not ready. */
const unknown = {
  family: null,
  english_reading: null,
  voices: [],
  sample_rate: null,
  deterministic: null,
  times_words: null,
  size_bytes: null,
  license: null,
  convolutions: null,
  expected_memory_bytes: null,
  real_time_factor: null,
  slow: null,
  advice: null,
  loaded: null,
}
