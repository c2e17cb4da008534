/** What administrators do with the installed packs: the folders of models under `data/voices`. */
import { retryWhileBusy } from '../db/statements'
import type { Install } from '../speech/models/hub/installer'
import type { PackReport } from '../speech/models/pack'
import type { Shelf } from '../speech/models/shelf'
import { found, runOperation, type Administration } from './administration'
import { describeInstall } from './installs'

export type Packs = {
  readonly shelf: Shelf
  /** Models in memory, by the path of their graph; none where nobody speaks. */
  readonly loaded: () => readonly { readonly name: string; readonly processes: number; readonly memoryBytes: number }[]
  /** What is being pulled from a hub, and what of it ended last; none where no server is. */
  readonly installs: () => readonly Install[]
}

/** In the order in which they were installed. */
export function listPacks({ shelf, loaded, installs }: Packs) {
  const reports = shelf.list()
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

/** Looks for changes now, and tries those again that were refused; the list then says which are being checked. */
export async function rescanPacks(packs: Packs) {
  await packs.shelf.rescan()
  return listPacks(packs)
}

/** Its voices are gone at once; what is speaking finishes. Throws `not_found`. */
export async function removePack(admin: Administration, { shelf }: Packs, name: string) {
  const report = found(
    shelf.list().find((one) => one.name === name),
    'pack',
    name,
  )
  const before = describe(report, new Map())
  const taken = found(shelf.takeAway(name), 'pack', name)
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
  const { family, model, sampleRate, voices, deterministic, timesWords, sizeBytes, license } = report.pack
  const loaded = models.get(`${model.directory}/${model.graph}`)
  return {
    name,
    state,
    reason,
    family,
    voices: voices.map(({ id }) => id),
    sample_rate: sampleRate,
    deterministic,
    times_words: timesWords,
    size_bytes: sizeBytes,
    license,
    expected_memory_bytes: model.memoryBytes,
    loaded: loaded ? { processes: loaded.processes, memory_bytes: loaded.memoryBytes } : null,
  }
}

/** Of a pack that is not ready. */
const unknown = {
  family: null,
  voices: [],
  sample_rate: null,
  deterministic: null,
  times_words: null,
  size_bytes: null,
  license: null,
  expected_memory_bytes: null,
  loaded: null,
}
