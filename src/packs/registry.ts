/**
 * The installed packs: each folder in `data/voices` is one. The registry notices new, changed and removed folders, probes
 * every new one before its voices are offered, and caches the results for the next start. An unusable pack does not
 * affect others; its report gives the reason. A changed pack keeps its old voices until its new files are probed.
 */
import { renameSync, watch, type FSWatcher } from 'node:fs'
import { readdir, rm, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '../log'
import { ignoreMissing } from '../storage/files'
import { commit, version as release } from '../version'
import { BadPack, type Pack, type PackReport } from '../speech/models/pack'
import { readCache, writeCache, type Remembered, type Tried } from './registry-cache'
import { takeSnapshot, type Snapshot } from '../speech/models/snapshot'
import { createTurns } from './turns'
import { giveIds } from './voice-ids'

export type PackRegistryOptions = {
  /** Absolute path; the folder may not exist yet. */
  readonly directory: string
  /** Ids that no pack's voice may have. */
  readonly reservedIds: readonly string[]
  /** Probes the pack in that folder. Throws `BadPack`, or an unrelated failure. */
  readonly probe: (directory: string, signal: AbortSignal) => Promise<Pack>
  /** Called after every change with the new `packs`. */
  readonly onChange: (packs: readonly Pack[]) => void
  /** Whether to write the cache. Only one process may do so: the server, if it runs. */
  readonly isKeeper: () => boolean
  /** Waits until a folder has not changed for so long, because it may still be copied. */
  readonly settleMs: number
  /** Interval of checks without file system events. */
  readonly pollMs: number
  /** After this time a probe lets the next one run in parallel. */
  readonly patienceMs: number
  readonly log: Logger
}

export type PackRegistry = {
  /** All entries of the folder, in order of installation. */
  list(): PackReport[]
  /** The packs with usable voices, with their final ids. */
  readonly packs: readonly Pack[]
  /** Starts watching for changes and probing new packs. */
  watch(): void
  /** Checks once, now. Probes refused packs again. */
  rescan(): Promise<void>
  /** Resolves when all packs have been probed. */
  tryAll(): Promise<void>
  /**
   * Removes a pack: its voices are gone when this returns. `destroy` deletes its files, `putBack` undoes the removal.
   * Returns undefined without such a pack.
   */
  takeAway(name: string): { putBack(): void; destroy(): Promise<void> } | undefined
  close(): Promise<void>
}

type Entry = {
  readonly name: string
  ids: Remembered['ids']
  tried: Tried | undefined
  /** Snapshot of its files; undefined when it is absent. */
  lying: (Snapshot & { readonly seenAtMs: number }) | undefined
}

/** Another program version probes all packs again: its result may differ. */
const program = `${release} ${commit}`
/** Maximum number of absent packs with reserved ids. */
const awayMax = 100
const removedPrefix = '.removed-'
/** A process that cannot reach the server creates this file to have refused packs probed again. */
export const rescanMark = '.rescan'
/** Copying causes several events in a row. */
const gatherMs = 100

/** Offers cached packs at once if their files are unchanged. */
export async function createPackRegistry(options: PackRegistryOptions): Promise<PackRegistry> {
  const { directory, log, settleMs, pollMs } = options
  let entries: Entry[] = (await readCache(directory)).map((one) => ({ ...one, lying: undefined }))
  let loose: readonly string[] = []
  let packs: readonly Pack[] = []
  /** Counts removals and restorations, for a concurrent check. */
  let moves = 0
  let isWatching = false
  let closed = false
  let watcher: FSWatcher | undefined
  let timer: NodeJS.Timeout | undefined
  let nextLookAtMs = Infinity
  let looking: Promise<void> = Promise.resolve()
  let saving: Promise<void> = Promise.resolve()

  const turns = createTurns<Entry>({
    patienceMs: options.patienceMs,
    next: (isRunning) => entries.find((one) => !isRunning(one) && needsTrying(one) && hasSettled(one)),
    run: tryPack,
    onEnd: () => schedule(),
  })

  const needsTrying = ({ lying, tried }: Entry) =>
    lying !== undefined && (tried?.version !== lying.version || tried.program !== program)

  function hasSettled({ lying }: Entry): boolean {
    if (!lying) return false
    const sinceChangeMs = Date.now() - lying.changedAtMs
    return sinceChangeMs >= settleMs || performance.now() - lying.seenAtMs >= settleMs
  }

  function look(): Promise<void> {
    looking = looking.then(lookOnce).catch((error) => log.warn({ err: error }, 'cannot read the folder of packs'))
    return looking
  }

  async function lookOnce(): Promise<void> {
    let found: Awaited<ReturnType<typeof survey>>
    let seen: number
    do {
      if (closed) return
      seen = moves
      found = await survey(directory)
    } while (seen !== moves)
    if (!found.isThere) forgetWatcher()
    if (found.isMarked && isWatching) {
      await unlink(join(directory, rescanMark)).catch(ignoreMissing)
      forgetRefused()
    }
    let changed = String(loose) !== String(found.loose)
    for (const name of found.loose)
      if (!loose.includes(name)) log.warn({ pack: name, reason: looseReason(name) }, 'pack refused')
    loose = found.loose
    for (const name of found.folders.keys())
      if (!entries.some((entry) => entry.name === name))
        entries.push({ name, ids: new Map(), tried: undefined, lying: undefined })
    for (const entry of entries) {
      const now = found.folders.get(entry.name)
      if (entry.lying?.version === now?.version) continue
      changed = true
      if (!now) log.info({ pack: entry.name }, 'pack removed')
      entry.lying = now && { ...now, seenAtMs: performance.now() }
      turns.abort(entry)
    }
    if (changed) publish()
    if (isWatching) turns.pump()
  }

  function publish(): void {
    const away = entries.filter(({ lying }) => !lying)
    const forgotten = new Set(away.slice(0, Math.max(0, away.length - awayMax)))
    entries = entries.filter((entry) => !forgotten.has(entry))
    const present = entries.filter(({ lying }) => lying)
    const slugsOf = (entry: Entry) => triedPack(entry)?.voices.map(({ id }) => id) ?? []
    const maps = giveIds(
      present.map((entry) => ({ slugs: slugsOf(entry), given: entry.ids })),
      options.reservedIds,
    )
    present.forEach((entry, index) => (entry.ids = maps[index]!))
    packs = present.flatMap((entry) => finalPack(directory, entry) ?? [])
    options.onChange(packs)
  }

  async function probe(name: string, signal: AbortSignal): Promise<Tried['result']> {
    try {
      return { pack: await options.probe(join(directory, name), signal) }
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      if (error instanceof BadPack) return { reason: message }
      return { reason: `it could not be tested: ${message}`, isPassing: true }
    }
  }

  async function tryPack(entry: Entry, signal: AbortSignal): Promise<void> {
    const { name } = entry
    const before = entry.lying!
    const result = before.fault === undefined ? await probe(name, signal) : { reason: before.fault }
    const after = await takeSnapshot(join(directory, name))
    if (closed) return
    if (after?.version !== before.version || entry.lying !== before) {
      if (entry.lying !== before) return
      entry.lying = after && { ...after, seenAtMs: performance.now() }
      publish()
      return
    }
    entry.tried = { version: before.version, program, result }
    if ('pack' in result) log.info({ pack: name, voices: result.pack.voices.length }, 'pack ready')
    else log.warn({ pack: name, reason: result.reason }, 'pack refused')
    publish()
    save()
  }

  function save(): void {
    if (!options.isKeeper()) return
    const remembered = entries.map(({ name, ids, tried }) => ({ name, ids, tried }))
    saving = saving
      .then(() => writeCache(directory, remembered))
      .catch((error) => log.warn({ err: error }, 'cannot write the cache of packs'))
  }

  function forgetRefused(): void {
    for (const entry of entries) if (entry.tried && 'reason' in entry.tried.result) entry.tried = undefined
  }

  /** Failures that are not the pack's fault may not recur. */
  function forgetPassing(): void {
    for (const entry of entries)
      if (entry.tried && 'reason' in entry.tried.result && entry.tried.result.isPassing) entry.tried = undefined
  }

  /** Schedules the next check: soon during a copy. */
  function schedule(delayMs = entries.some(needsTrying) ? settleMs / 4 : pollMs): void {
    const atMs = performance.now() + delayMs
    if (!isWatching || closed || atMs >= nextLookAtMs) return
    nextLookAtMs = atMs
    clearTimeout(timer)
    timer = setTimeout(async () => {
      nextLookAtMs = Infinity
      watchFolder()
      await look()
      schedule()
    }, delayMs)
  }

  function watchFolder(): void {
    try {
      watcher ??= watch(directory, { persistent: false }, (_event, name) => {
        if (!String(name).startsWith('.shelf.json')) schedule(gatherMs)
      }).on('error', forgetWatcher)
    } catch {
      // The folder does not exist yet, or the system cannot watch it; polling must do.
      forgetWatcher()
    }
  }

  function forgetWatcher(): void {
    watcher?.close()
    watcher = undefined
  }

  function reportOf(entry: Entry): PackReport {
    const { name, tried, lying } = entry
    if (!tried || tried.version !== lying?.version) return { name, state: 'checking' }
    if ('pack' in tried.result) return { name, state: 'ready', pack: packs.find((pack) => pack.name === name)! }
    return tried.program === program
      ? { name, state: 'refused', reason: tried.result.reason }
      : { name, state: 'checking' }
  }

  function setLying(name: string, lying: Entry['lying']): void {
    moves++
    for (const entry of entries)
      if (entry.name === name) {
        entry.lying = lying
        turns.abort(entry)
      }
    publish()
  }

  await look()

  return {
    list: () => [
      ...entries.filter(({ lying }) => lying).map(reportOf),
      ...loose.map((name) => ({ name, state: 'refused' as const, reason: looseReason(name) })),
    ],

    get packs() {
      return packs
    },

    watch() {
      isWatching = true
      forgetPassing()
      void removeLeftovers(directory).catch((error) => log.warn({ err: error }, 'cannot delete removed packs'))
      schedule(0)
    },

    async rescan() {
      forgetRefused()
      await look()
      schedule()
    },

    async tryAll() {
      forgetPassing()
      while (!closed && entries.some(needsTrying)) {
        turns.pump()
        await turns.settled()
        if (!entries.some(needsTrying)) return
        await Bun.sleep(settleMs / 4)
        await look()
      }
    },

    takeAway(name) {
      const entry = entries.find((one) => one.name === name && one.lying)
      if (!entry && !loose.includes(name)) return undefined
      const place = join(directory, name)
      const aside = join(directory, `${removedPrefix}${Bun.randomUUIDv7()}`)
      renameSync(place, aside)
      const [lying, wereLoose] = [entry?.lying, loose]
      loose = loose.filter((one) => one !== name)
      setLying(name, undefined)
      return {
        putBack() {
          renameSync(aside, place)
          loose = wereLoose
          setLying(name, lying)
        },
        destroy: () => rm(aside, { recursive: true, force: true }),
      }
    },

    async close() {
      closed = true
      turns.close()
      clearTimeout(timer)
      forgetWatcher()
      await looking
      await saving
    },
  }
}

type Survey = {
  readonly folders: ReadonlyMap<string, Snapshot>
  /** Model files outside of a folder. */
  readonly loose: readonly string[]
  readonly isMarked: boolean
  readonly isThere: boolean
}

/** Lists the packs by name. Hidden and unfinished entries are skipped. */
async function survey(directory: string): Promise<Survey> {
  const found = await readdir(directory).catch(ignoreMissing)
  const names = found ?? []
  const folders = new Map<string, Snapshot>()
  const loose: string[] = []
  const visible = names.filter((name) => !/^\.|\.(tmp|part)$/.test(name)).sort()
  const snapshots = await Promise.all(visible.map((name) => takeSnapshot(join(directory, name))))
  for (const [index, name] of visible.entries()) {
    const snapshot = snapshots[index]
    if (snapshot) folders.set(name, snapshot)
    else if (name.endsWith('.onnx')) loose.push(name)
  }
  return { folders, loose, isMarked: names.includes(rescanMark), isThere: found !== undefined }
}

async function removeLeftovers(directory: string): Promise<void> {
  const names = (await readdir(directory).catch(ignoreMissing)) ?? []
  for (const name of names)
    if (name.startsWith(removedPrefix)) await rm(join(directory, name), { recursive: true, force: true })
}

function looseReason(name: string): string {
  return `${name} is not in a folder: move it and its files into one, such as ${name.replace(/\.onnx$/, '')}/`
}

function triedPack({ tried }: Entry): Pack | undefined {
  return tried && 'pack' in tried.result ? tried.result.pack : undefined
}

/** The pack for the catalogue, with its final ids and its current path. */
function finalPack(directory: string, entry: Entry): Pack | undefined {
  const pack = triedPack(entry)
  if (!pack) return undefined
  const { name, ids, tried } = entry
  return {
    ...pack,
    name,
    model: { ...pack.model, directory: join(directory, name), version: tried!.version },
    voices: pack.voices.map((voice) => ({ ...voice, id: ids.get(voice.id)! })),
  }
}
