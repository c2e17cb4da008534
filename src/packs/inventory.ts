/**
 * The state of the pack registry: one entry per pack that is or was in the folder, the packs with their final
 * ids, and the reports. Does not read the disk.
 */
import { join } from 'node:path'
import type { Pack, PackReport, PaceConditions } from '../speech/models/pack'
import type { Snapshot } from '../speech/models/snapshot'
import type { ConvolutionForm } from '../speech/voice'
import { commit, version as release } from '../version'
import type { Remembered, Probed } from './registry-cache'
import type { Survey } from './survey'
import { giveIds } from './voice-ids'

export type Entry = {
  readonly name: string
  ids: Remembered['ids']
  probed: Probed | undefined
  /** Snapshot of its files, and the time of `performance.now()` when it was taken; undefined for an absent pack. */
  present: (Snapshot & { readonly seenAtMs: number }) | undefined
}

export type Inventory = {
  /** In order of installation. */
  entries: Entry[]
  /** Model files outside of a folder. */
  loose: readonly string[]
  /** The packs with usable voices, with their final ids. */
  packs: readonly Pack[]
}

/** Another program version probes all packs again: its result may differ. */
export const program = `${release} ${commit}`
/** Maximum number of absent packs with reserved ids. */
const absentMax = 100

/** Cached packs, all absent until the first survey. */
export function createInventory(cached: readonly Remembered[]): Inventory {
  return { entries: cached.map((one) => ({ ...one, present: undefined })), loose: [], packs: [] }
}

/** `conditions`: those of the pace now; undefined: any will do. */
export function needsProbe({ present, probed }: Entry, conditions: PaceConditions | undefined): boolean {
  if (!present) return false
  if (probed?.version !== present.version || probed.program !== program) return true
  return conditions !== undefined && !areSame(probed.conditions, conditions) && 'pack' in probed.result
}

function areSame(some: PaceConditions | undefined, others: PaceConditions): boolean {
  return some?.machine === others.machine && some.settings === others.settings
}

/**
 * The form of the convolutions that a pack keeps when only its pace is measured again, so that its voices keep their
 * bytes on the same machine; undefined: to be chosen.
 */
export function convolutionsToKeep(entry: Entry, conditions: PaceConditions | undefined): ConvolutionForm | undefined {
  const { probed } = entry
  const isKept = probed?.conditions?.machine === conditions?.machine && !needsProbe(entry, undefined)
  return isKept && probed && 'pack' in probed.result ? probed.result.pack.model.convolutions : undefined
}

/** The result without its pace if that was measured under other conditions. */
export function withoutForeignPace(probed: Probed, conditions: PaceConditions): Probed {
  if (areSame(probed.conditions, conditions) || !('pack' in probed.result)) return probed
  const { pace: _, ...pack } = probed.result.pack
  return { ...probed, result: { pack: { ...pack, model: { ...pack.model, busyFactor: undefined } } } }
}

/** Whether its files have not changed for `settleMs`. */
export function hasSettled({ present }: Entry, settleMs: number): boolean {
  if (!present) return false
  const sinceChangeMs = Date.now() - present.changedAtMs
  return sinceChangeMs >= settleMs || performance.now() - present.seenAtMs >= settleMs
}

export type Changes = {
  readonly entries: readonly Entry[]
  readonly newLoose: readonly string[]
  readonly isAny: boolean
}

/** Updates the entries from a survey. Returns the added, changed and removed ones, and the new loose files. */
export function applySurvey(inventory: Inventory, { folders, loose }: Survey): Changes {
  const newLoose = loose.filter((name) => !inventory.loose.includes(name))
  const isLooseChanged = String(inventory.loose) !== String(loose)
  inventory.loose = loose
  for (const name of folders.keys())
    if (!inventory.entries.some((entry) => entry.name === name))
      inventory.entries.push({ name, ids: new Map(), probed: undefined, present: undefined })
  const entries = inventory.entries.filter(({ name, present }) => present?.version !== folders.get(name)?.version)
  for (const entry of entries) {
    const snapshot = folders.get(entry.name)
    entry.present = snapshot && { ...snapshot, seenAtMs: performance.now() }
  }
  return { entries, newLoose, isAny: isLooseChanged || entries.length > 0 }
}

/** Assigns ids and derives `packs` from the entries. Call it after every change of an entry. */
export function derivePacks(inventory: Inventory, directory: string, reservedIds: readonly string[]): void {
  const absent = inventory.entries.filter(({ present }) => !present)
  const forgotten = new Set(absent.slice(0, Math.max(0, absent.length - absentMax)))
  inventory.entries = inventory.entries.filter((entry) => !forgotten.has(entry))
  const present = inventory.entries.filter((entry) => entry.present)
  const slugsOf = (entry: Entry) => usablePack(entry)?.voices.map(({ id }) => id) ?? []
  const maps = giveIds(
    present.map((entry) => ({ slugs: slugsOf(entry), given: entry.ids })),
    reservedIds,
  )
  present.forEach((entry, index) => (entry.ids = maps[index]!))
  inventory.packs = present.flatMap((entry) => finalPack(entry, directory) ?? [])
}

/** Has refused packs probed again. `onlyPassing`: only those whose failure may not be the pack's fault. */
export function forgetRefusals({ entries }: Inventory, { onlyPassing }: { onlyPassing: boolean }): void {
  for (const entry of entries) {
    const result = entry.probed?.result
    if (result && 'reason' in result && (!onlyPassing || result.isPassing)) entry.probed = undefined
  }
}

/** One report per present pack and per loose file. */
export function reportsOf({ entries, loose, packs }: Inventory): PackReport[] {
  return [
    ...entries.filter(({ present }) => present).map((entry) => reportOf(entry, packs)),
    ...loose.map((name) => ({ name, state: 'refused' as const, reason: looseReason(name) })),
  ]
}

function reportOf({ name, probed, present }: Entry, packs: readonly Pack[]): PackReport {
  if (!probed || probed.version !== present?.version) return { name, state: 'checking' }
  if ('pack' in probed.result) return { name, state: 'ready', pack: packs.find((pack) => pack.name === name)! }
  return probed.program === program
    ? { name, state: 'refused', reason: probed.result.reason }
    : { name, state: 'checking' }
}

export function looseReason(name: string): string {
  return `${name} is not in a folder: move it and its files into one, such as ${name.replace(/\.onnx$/, '')}/`
}

function usablePack({ probed }: Entry): Pack | undefined {
  return probed && 'pack' in probed.result ? probed.result.pack : undefined
}

/** The pack for the catalogue, with its final ids and its current path. */
function finalPack(entry: Entry, directory: string): Pack | undefined {
  const pack = usablePack(entry)
  if (!pack) return undefined
  const { name, ids, probed } = entry
  return {
    ...pack,
    name,
    model: { ...pack.model, directory: join(directory, name), version: probed!.version },
    voices: pack.voices.map((voice) => ({ ...voice, id: ids.get(voice.id)! })),
  }
}
