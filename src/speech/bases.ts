/** The voices that a clone may be made of: those that are built in, and those that an operator installed. */
import { findBaseVoice, type BaseVoice } from './adapt/base-voices'
import type { VoiceStatistics } from './adapt/measure'
import { engineKey, type VoiceSpec } from './engine'
import { baseLanguage } from './language'

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

/**
 * Those that are known and speak the language (BCP 47), or all that are known. Only one voice of each speaker: the others
 * are made from it.
 */
export function basesFor(bases: readonly Base[], language: string, measured: MeasuredVoices): readonly Base[] {
  const speakers = new Map<string, Base>()
  for (const base of bases.toReversed())
    if (!base.adaptation && findKnown(base, measured)) speakers.set(speakerOf(base), base)
  const all = [...speakers.values()].reverse()
  const native = all.filter((base) => baseLanguage(base.language) === baseLanguage(language))
  return native.length > 0 ? native : all
}

function speakerOf(base: Base): string {
  const { voice, speaker } = base.settings
  return `${engineKey(base)} ${voice} ${speaker ?? ''}`
}

/** Whether it speaks with an installed model. */
export function isInstalled({ model }: VoiceSpec): boolean {
  return model !== undefined
}
