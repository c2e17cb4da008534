/** The possible base voices of clones: built-in and installed ones. */
import { findAdaptableVoice, type AdaptableVoice } from './adapt/adaptable-voices'
import type { VoiceStatistics } from './adapt/measure'
import { engineKey, type VoiceSpec } from '../speech/voice'
import { baseLanguage } from '../language'

/** Statistics of installed voices by id, measured during enrolment. */
export type MeasuredVoices = Readonly<Record<string, VoiceStatistics>>

/** The statistics of `base`; undefined for an installed voice that was not measured. */
export function findKnown(base: VoiceSpec, measured: MeasuredVoices): AdaptableVoice | undefined {
  const builtIn = findAdaptableVoice(base.id)
  if (builtIn) return builtIn
  return Object.hasOwn(measured, base.id) ? { speaker: base.id, statistics: measured[base.id]! } : undefined
}

/**
 * The base voices with statistics in the language (BCP 47), or in any language if there are none. An adapted voice is
 * never a base.
 */
export function basesFor(
  bases: readonly VoiceSpec[],
  language: string,
  measured: MeasuredVoices,
): readonly VoiceSpec[] {
  const all = bases.filter((base) => !base.adaptation && findKnown(base, measured))
  const native = all.filter((base) => baseLanguage(base.language) === baseLanguage(language))
  return native.length > 0 ? native : all
}

/** The first voice of each speaker; the others share its model and speaker. */
export function firstOfSpeakers(bases: readonly VoiceSpec[]): readonly VoiceSpec[] {
  const speakers = new Set<string>()
  return bases.filter((base) => {
    const { voice, speaker } = base.settings
    const key = `${engineKey(base)} ${voice} ${speaker ?? ''}`
    const isFirst = !speakers.has(key)
    speakers.add(key)
    return isFirst
  })
}

/** Whether the voice uses an installed model. */
export function isInstalled({ model }: VoiceSpec): boolean {
  return model !== undefined
}
