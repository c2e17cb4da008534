/**
 * The installed packs: each folder in `data/voices` is one. The registry notices new, changed and removed folders, probes
 * every new one before its voices are offered, and caches the results for the next start. An unusable pack does not
 * affect others; its report gives the reason. A changed pack keeps its old voices until its new files are probed.
 */
import { renameSync } from 'node:fs'
import { rm, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '../log'
import { BadPack, type Pack, type PackReport, type PaceConditions } from '../speech/models/pack'
import { takeSnapshot } from '../speech/models/snapshot'
import type { ConvolutionForm } from '../speech/voice'
import { ignoreMissing } from '../storage/files'
import { adviceFor } from './advice'
import { createFolderWatch } from './folder-watch'
import {
  applySurvey,
  convolutionsToKeep,
  createInventory,
  derivePacks,
  forgetRefusals,
  hasSettled,
  looseReason,
  needsProbe,
  program,
  reportsOf,
  withoutForeignPace,
  type Entry,
  type Inventory,
} from './inventory'
import { cacheFile, readCache, writeCache, type Probed } from './registry-cache'
import { removedPrefix, removeLeftovers, rescanMark, survey, type Survey } from './survey'
import { createTurns } from './turns'

export type PackRegistryOptions = {
  /** Absolute path; the folder may not exist yet. */
  readonly directory: string
  /** Ids that no pack's voice may have. */
  readonly reservedIds: readonly string[]
  /** The machine and the settings now; undefined where no pack is probed. */
  readonly conditions?: () => PaceConditions
  /** Probes the pack in that folder. Throws `BadPack`, or an unrelated failure. */
  readonly probe: ProbeFolder
  /** Called after every change with the new `packs`. */
  readonly onChange: (packs: readonly Pack[]) => void
  /** Whether to write the cache. Only one process may do so: the server, if it runs. */
  readonly mayWriteCache: () => boolean
  /** Waits until a folder has not changed for so long, because it may still be copied. */
  readonly settleMs: number
  /** Interval of checks without file system events. */
  readonly pollMs: number
  /** After this time a probe lets the next one run in parallel. */
  readonly patienceMs: number
  readonly log: Logger
}

/** `convolutions`: the form to keep; undefined: to be chosen. */
type ProbeFolder = (directory: string, signal: AbortSignal, convolutions?: ConvolutionForm) => Promise<Pack>

export type PackRegistry = {
  /** All entries of the folder, in order of installation. */
  list(): PackReport[]
  /** The packs with usable voices, with their final ids. */
  readonly packs: readonly Pack[]
  /** Starts watching for changes and probing new packs. */
  watch(): void
  /** Checks once, now. Probes refused packs again. */
  rescan(): Promise<void>
  /** Checks once, now, because a folder was added. */
  notice(): Promise<void>
  /** Replaces the pace of the pack by that of `pack`. */
  repace(pack: Pack): void
  /** Resolves when all packs have been probed. */
  probeAll(): Promise<void>
  /**
   * Removes a pack: its voices are gone when this returns. Returns undefined without such a pack.
   */
  takeAway(name: string): RemovedPack | undefined
  close(): Promise<void>
}

/** A pack whose files wait for their deletion under another name. */
export type RemovedPack = {
  /** Undoes the removal. */
  putBack(): void
  /** Deletes the files. */
  destroy(): Promise<void>
}

type State = {
  readonly options: PackRegistryOptions
  readonly inventory: Inventory
  /** Counts removals and restorations, for a concurrent look. */
  moves: number
  isWatching: boolean
  isClosed: boolean
  /** The last look and the last write of the cache. Each begins after the one before it. */
  looking: Promise<void>
  saving: Promise<void>
}

/** Offers cached packs at once if their files are unchanged. */
export async function createPackRegistry(options: PackRegistryOptions): Promise<PackRegistry> {
  const { directory, log, settleMs, pollMs, patienceMs } = options
  const inventory = await readInventory(options)
  const state: State = {
    options,
    inventory,
    moves: 0,
    isWatching: false,
    isClosed: false,
    looking: Promise.resolve(),
    saving: Promise.resolve(),
  }
  // Only a server measures the pace again under other conditions; a verb at the command line takes what it finds.
  const mustProbeOne = (entry: Entry) => needsProbe(entry, state.isWatching ? options.conditions?.() : undefined)
  const mustProbe = () => inventory.entries.some(mustProbeOne)
  const turns = createTurns<Entry>({
    patienceMs,
    next: (isRunning) =>
      inventory.entries.find((one) => !isRunning(one) && mustProbeOne(one) && hasSettled(one, settleMs)),
    run: (entry, signal) => probeEntry(state, entry, signal),
    onEnd: () => folderWatch.schedule(),
  })
  const folderWatch = createFolderWatch({
    directory,
    isIgnored: (name) => name.startsWith(cacheFile),
    // Soon during a copy.
    nextDelayMs: () => (mustProbe() ? settleMs / 4 : pollMs),
    look,
  })

  function look(): Promise<void> {
    state.looking = state.looking
      .then(lookOnce)
      .catch((error) => log.warn({ err: error }, 'cannot read the folder of packs'))
    return state.looking
  }

  async function lookOnce(): Promise<void> {
    const found = await surveyUndisturbed(state)
    if (!found) return
    if (!found.isThere) folderWatch.forget()
    if (found.isMarked && state.isWatching) {
      await unlink(join(directory, rescanMark)).catch(ignoreMissing)
      forgetRefusals(inventory, { onlyPassing: false })
    }
    const { entries, newLoose, isAny } = applySurvey(inventory, found)
    for (const name of newLoose) log.warn({ pack: name, reason: looseReason(name) }, 'pack refused')
    for (const { name, present } of entries) if (!present) log.info({ pack: name }, 'pack removed')
    entries.forEach(turns.abort)
    if (isAny) publish(state)
    if (state.isWatching) turns.pump()
  }

  await look()

  return {
    list: () => reportsOf(inventory),

    get packs() {
      return inventory.packs
    },

    watch() {
      state.isWatching = true
      forgetRefusals(inventory, { onlyPassing: true })
      void removeLeftovers(directory).catch((error) => log.warn({ err: error }, 'cannot delete removed packs'))
      folderWatch.start()
    },

    rescan() {
      forgetRefusals(inventory, { onlyPassing: false })
      return look().then(() => folderWatch.schedule())
    },

    notice: () => look().then(() => folderWatch.schedule()),

    repace: (pack) => repace(state, pack),

    async probeAll() {
      forgetRefusals(inventory, { onlyPassing: true })
      while (!state.isClosed && mustProbe()) {
        turns.pump()
        await turns.settled()
        if (!mustProbe()) return
        await Bun.sleep(settleMs / 4)
        await look()
      }
    },

    takeAway: (name) => takeAway(state, name, turns.abort),

    async close() {
      state.isClosed = true
      turns.close()
      folderWatch.close()
      await state.looking
      await state.saving
    },
  }
}

/** The cached packs, without paces that were measured under other conditions. */
async function readInventory({ directory, conditions }: PackRegistryOptions): Promise<Inventory> {
  const inventory = createInventory(await readCache(directory))
  for (const entry of inventory.entries)
    if (entry.probed && conditions) entry.probed = withoutForeignPace(entry.probed, conditions())
  return inventory
}

/** Repeats the survey when a pack was removed or restored meanwhile. Undefined when the registry is closed. */
async function surveyUndisturbed(state: State): Promise<Survey | undefined> {
  while (!state.isClosed) {
    const seen = state.moves
    const found = await survey(state.options.directory)
    if (seen === state.moves) return found
  }
  return undefined
}

function publish({ inventory, options }: State): void {
  derivePacks(inventory, options.directory, options.reservedIds)
  options.onChange(inventory.packs)
}

/** Probes a present pack and keeps the result, unless its files changed meanwhile. */
async function probeEntry(state: State, entry: Entry, signal: AbortSignal): Promise<void> {
  const { log, directory } = state.options
  const { name } = entry
  const before = entry.present!
  const conditions = state.options.conditions?.()
  const keep = convolutionsToKeep(entry, conditions)
  const result = before.fault === undefined ? await probe(state.options, name, signal, keep) : { reason: before.fault }
  const after = await takeSnapshot(join(directory, name))
  if (state.isClosed || entry.present !== before) return
  if (after?.version !== before.version) {
    entry.present = after && { ...after, seenAtMs: performance.now() }
    return publish(state)
  }
  if ('isPassing' in result && !needsProbe(entry, undefined)) {
    // The pack is known to work; only its pace was to be measured again.
    entry.probed = { ...entry.probed!, conditions }
    log.warn({ pack: name, reason: result.reason }, 'the speed of a pack could not be measured')
  } else {
    entry.probed = { version: before.version, program, conditions, result }
    if ('pack' in result) reportReady(log, name, result.pack)
    else log.warn({ pack: name, reason: result.reason }, 'pack refused')
  }
  publish(state)
  save(state)
}

function reportReady(log: Logger, name: string, pack: Pack): void {
  const realTimeFactor = pack.pace?.realTimeFactor
  log.info({ pack: name, voices: pack.voices.length, realTimeFactor }, 'pack ready')
  const advice = adviceFor(pack)
  if (advice !== null) log.warn({ pack: name, realTimeFactor, advice }, 'pack is slow on this machine')
}

/** Replaces the pace of an installed pack. */
function repace(state: State, pack: Pack): void {
  const entry = state.inventory.entries.find(({ name }) => name === pack.name)
  const result = entry?.probed?.result
  if (state.isClosed || !entry?.probed || !result || !('pack' in result)) return
  const { pace, model } = pack
  const wasSlow = adviceFor(result.pack) !== null
  const repaced = { ...result.pack, pace, model: { ...result.pack.model, busyFactor: model.busyFactor } }
  entry.probed = { ...entry.probed, result: { pack: repaced } }
  const advice = adviceFor(repaced)
  const found = { pack: pack.name, realTimeFactor: pace?.realTimeFactor }
  if (advice !== null && !wasSlow) state.options.log.warn({ ...found, advice }, 'pack is slow on this machine')
  if (advice === null && wasSlow) state.options.log.info(found, 'pack is no longer slow')
  publish(state)
  save(state)
}

async function probe(
  options: PackRegistryOptions,
  name: string,
  signal: AbortSignal,
  convolutions: ConvolutionForm | undefined,
): Promise<Probed['result']> {
  try {
    return { pack: await options.probe(join(options.directory, name), signal, convolutions) }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    if (error instanceof BadPack) return { reason: message }
    return { reason: `it could not be tested: ${message}`, isPassing: true }
  }
}

function save(state: State): void {
  const { directory, mayWriteCache, log } = state.options
  if (!mayWriteCache()) return
  const remembered = state.inventory.entries.map(({ name, ids, probed }) => ({ name, ids, probed }))
  state.saving = state.saving
    .then(() => writeCache(directory, remembered))
    .catch((error) => log.warn({ err: error }, 'cannot write the cache of packs'))
}

/** `abort`: ends a running probe of the entry. */
function takeAway(state: State, name: string, abort: (entry: Entry) => void): RemovedPack | undefined {
  const { inventory, options } = state
  const entry = inventory.entries.find((one) => one.name === name && one.present)
  if (!entry && !inventory.loose.includes(name)) return undefined
  const place = join(options.directory, name)
  const aside = join(options.directory, `${removedPrefix}${Bun.randomUUIDv7()}`)
  const [present, loose] = [entry?.present, inventory.loose]

  function move(from: string, to: string, changes: { present: Entry['present']; loose: readonly string[] }): void {
    renameSync(from, to)
    inventory.loose = changes.loose
    state.moves++
    if (entry) {
      entry.present = changes.present
      abort(entry)
    }
    publish(state)
  }

  move(place, aside, { present: undefined, loose: loose.filter((one) => one !== name) })
  return {
    putBack: () => move(aside, place, { present, loose }),
    destroy: () => rm(aside, { recursive: true, force: true }),
  }
}
