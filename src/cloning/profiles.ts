/** The stored profiles of cloned voices, of both methods. */
import { isFields } from '../fields'
import type { AdaptedProfile } from './adapt/profile'
import type { ConvertedProfile } from './convert/profile'
import { speakerEmbeddingSize } from './convert/converter-pack'

export type VoiceProfile = AdaptedProfile | ConvertedProfile

export function methodOf(profile: VoiceProfile): 'adapted' | 'converted' {
  return profile.version === 2 ? 'converted' : 'adapted'
}

/** Throws on invalid JSON, and on a profile of a later version of the program. */
export function readProfile(json: string): VoiceProfile {
  const profile = JSON.parse(json) as Partial<VoiceProfile> | null
  if (profile?.version === 1 && isNumber(profile.target?.pitchHz) && isFields(profile.tuned))
    return profile as AdaptedProfile
  if (profile?.version === 2 && profile.method === 'converted' && isConverted(profile))
    return profile as ConvertedProfile
  throw new Error(`not the profile of a voice: ${json.slice(0, 60)}`)
}

function isConverted({ converter, target, tone }: Partial<ConvertedProfile>): boolean {
  if (typeof converter !== 'string' || !isNumber(target?.pitchHz)) return false
  return Array.isArray(tone) && tone.length === speakerEmbeddingSize && tone.every(isNumber)
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}
