/**
 * Data on the adaptable voices: their statistics, measured at build time by `scripts/voice-statistics.ts` from more
 * speech than enrolment has time for, and the change that their intelligibility survives.
 */
import statistics from '../../../voices/statistics.json'
import type { TractLimits } from './fit'
import type { VoiceStatistics } from './measure'

/** A voice with statistics, which makes it a possible base of clones. */
export type AdaptableVoice = {
  /** The engine and its voice name, as in `flite slt`. */
  readonly speaker: string
  readonly statistics: VoiceStatistics
}

const byId: Readonly<Record<string, AdaptableVoice>> = statistics

export const adaptableVoiceIds: readonly string[] = Object.keys(byId)

/** Looks up a catalogue id; undefined for voices without statistics. */
export function findAdaptableVoice(id: string): AdaptableVoice | undefined {
  return Object.hasOwn(byId, id) ? byId[id] : undefined
}

type Tolerance = TractLimits & {
  /** Penalty for the words that the voice itself loses; see `chooseBase`. */
  readonly cost: number
}

/** Word errors rise steeply beyond these limits: see the table in `docs/adapted-voices.md`. */
const tolerances: Readonly<Record<string, Tolerance>> = {
  'flite rms': { least: 0.9, most: 1.2, cost: 0 },
  'flite slt': { least: 0.85, most: 1.03, cost: 0.1 },
  'flite awb': { least: 0.9, most: 1.12, cost: 0.08 },
  'flite kal16': { least: 0.96, most: 1.18, cost: 0.05 },
}
const otherTolerance: Tolerance = { least: 0.84, most: 1.2, cost: 0 }

export function toleranceOf({ speaker }: Pick<AdaptableVoice, 'speaker'>): Tolerance {
  return tolerances[speaker] ?? otherTolerance
}
