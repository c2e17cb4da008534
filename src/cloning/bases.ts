/** The voices that a clone may be made of: those that are built in, and those that an operator installed. */
import { findBaseVoice, type BaseVoice } from './adapt/base-voices'
import type { VoiceStatistics } from './adapt/measure'
import { engineKey, type VoiceSpec } from '../speech/voice'
import { baseLanguage } from '../speech/language'

/** `gender`: where somebody said it. */
export type Base = VoiceSpec & { readonly gender?: 'female' | 'male' | null }

/** Statistics of installed voices by their ids, taken when somebody wants a clone. */
export type MeasuredVoices = Readonly<Record<string, VoiceStatistics>>

/** What is known of `base`; undefined for an installed voice that nobody measured. */
export function findKnown(base: VoiceSpec, measured: MeasuredVoices): BaseVoice | undefined {
  const builtIn = findBaseVoice(base.id)
  if (builtIn) return builtIn
  return Object.hasOwn(measured, base.id) ? { speaker: base.id, statistics: measured[base.id]! } : undefined
}

/** Those that are known and speak the language (BCP 47), or all that are known; none that is made of another. */
export function basesFor(bases: readonly Base[], language: string, measured: MeasuredVoices): readonly Base[] {
  const all = bases.filter((base) => !base.adaptation && findKnown(base, measured))
  const native = all.filter((base) => baseLanguage(base.language) === baseLanguage(language))
  return native.length > 0 ? native : all
}

/** The first voice of each speaker, for those who make the others of it. */
export function firstOfSpeakers(bases: readonly Base[]): readonly Base[] {
  const speakers = new Set<string>()
  return bases.filter((base) => {
    const { voice, speaker } = base.settings
    const key = `${engineKey(base)} ${voice} ${speaker ?? ''}`
    const isFirst = !speakers.has(key)
    speakers.add(key)
    return isFirst
  })
}

/** Whether it speaks with an installed model. */
export function isInstalled({ model }: VoiceSpec): boolean {
  return model !== undefined
}
