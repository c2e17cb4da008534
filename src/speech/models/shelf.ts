/**
 * The installed packs: each folder in `data/voices` is one. The shelf sees folders come, change and go, has every new
 * one tried before its voices can be used, and remembers how that went for the next start. A pack
 * that cannot be used harms nobody: it is reported with the reason. What speaks while its pack changes keeps the old
 * voices until the new files have been tried.
 */
import { renameSync, watch, type FSWatcher } from 'node:fs'
import { readdir, rm, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '../../log'
import { ignoreMissing } from '../../storage/files'
import { commit, version as release } from '../../version'
import { BadPack, type Pack, type PackReport } from './pack'
import { readCache, writeCache, type Remembered, type Tried } from './shelf-cache'
import { takeSnapshot, type Snapshot } from './snapshot'
import { createTurns } from './turns'
import { giveIds } from './voice-ids'

export type ShelfOptions = {
  /** Absolute; it need not be there. */
  readonly directory: string
  /** Ids that no voice of a pack may get. */
  readonly reservedIds: readonly string[]
  /** Tries the pack in that folder. Throws `BadPack`, or whatever else went wrong. */
  readonly probe: (directory: string, signal: AbortSignal) => Promise<Pack>
  /** Called after every change, with what `packs` is from now on. */
  readonly onChange: (packs: readonly Pack[]) => void
  /** Whether results are written down. Only one process may do so at a time: the server, where there is one. */
  readonly isKeeper: () => boolean
  /** A folder is left alone until nothing has happened to its files for so long: somebody is copying. */
  readonly settleMs: number
  /** How often to look without being told that something happened. */
  readonly pollMs: number
  /** A pack that takes longer to try lets the next one be tried beside it. */
  readonly patienceMs: number
  readonly log: Logger
}

export type Shelf = {
  /** Everything that lies there, in the order in which it was installed. */
  list(): PackReport[]
  /** Those whose voices can be used, with their final ids. */
  readonly packs: readonly Pack[]
  /** From now on looks for changes by itself, and has what is new tried. */
  watch(): void
  /** Looks once, now. Packs that were refused are tried again. */
  rescan(): Promise<void>
  /** Ends when everything that lies there has been tried. */
  tryAll(): Promise<void>
  /**
   * Takes a pack off the shelf: its voices are gone when this returns. `destroy` deletes its files, `putBack` undoes it.
   * undefined: there is no such pack.
   */
  takeAway(name: string): { putBack(): void; destroy(): Promise<void> } | undefined
  close(): Promise<void>
}

type Entry = {
  readonly name: string
  ids: Remembered['ids']
  tried: Tried | undefined
  /** What its files look like now; undefined: it is not there. */
  lying: (Snapshot & { readonly seenAtMs: number }) | undefined
}

/** By another one of these a pack is tried again: it may do better, or be read otherwise. */
const program = `${release} ${commit}`
/** Packs that are away and yet remembered with their ids. */
const awayMax = 100
const removedPrefix = '.removed-'
/** Whoever cannot ask the server itself leaves a file of this name, to have refused packs tried again. */
export const rescanMark = '.rescan'
/** Several things happen at once when somebody copies. */
const gatherMs = 100

/** What is known from before is there at once, as far as its files are still the same. */
export async function createShelf(options: ShelfOptions): Promise<Shelf> {
  const { directory, log, settleMs, pollMs } = options
  let entries: Entry[] = (await readCache(directory)).map((one) => ({ ...one, lying: undefined }))
  let loose: readonly string[] = []
  let packs: readonly Pack[] = []
  /** Counts what was taken away or put back, for a look that goes on meanwhile. */
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
    looking = looking.then(lookOnce).catch((error) => log.warn({ err: error }, 'the packs cannot be looked at'))
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
      return { reason: `it could not be tried: ${message}`, isPassing: true }
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
      .catch((error) => log.warn({ err: error }, 'what is known of the packs cannot be written down'))
  }

  function forgetRefused(): void {
    for (const entry of entries) if (entry.tried && 'reason' in entry.tried.result) entry.tried = undefined
  }

  /** What was not the pack's own fault may go better this time. */
  function forgetPassing(): void {
    for (const entry of entries)
      if (entry.tried && 'reason' in entry.tried.result && entry.tried.result.isPassing) entry.tried = undefined
  }

  /** The next look: soon while somebody copies. */
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
      // It is not there yet, or the system cannot tell: then looking now and then must do.
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
      void removeLeftovers(directory).catch((error) => log.warn({ err: error }, 'removed packs cannot be deleted'))
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
  /** Names of models that are in no folder. */
  readonly loose: readonly string[]
  readonly isMarked: boolean
  readonly isThere: boolean
}

/** What lies there, by name. Hidden and unfinished things do not count. */
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
  return `${name} is in no folder: put it and the files that belong to it into one, such as ${name.replace(/\.onnx$/, '')}/`
}

function triedPack({ tried }: Entry): Pack | undefined {
  return tried && 'pack' in tried.result ? tried.result.pack : undefined
}

/** As the catalogue has it: with the ids that were given, and where it lies now. */
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
