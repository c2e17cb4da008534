/** Who speaks for a clone: a catalogue voice, made to sound like the recording. */
import { AppError } from './errors'
import type { AdaptedProfile } from './speech/adapt/profile'
import type { VoiceSpec } from './speech/engine'
import type { BareVoice, Catalogue } from './voice/catalogue'
import type { Clone } from './voice/clones'

/** Statistics of all voices; a start without clones does without them. */
const loadAdapting = () => require('./speech/adapt/profile') as typeof import('./speech/adapt/profile')

export type Speaker = {
  readonly spec: VoiceSpec
  /** The voice that speaks a script which `spec` cannot. */
  readonly companionFor: (script: string) => VoiceSpec
}

export function catalogueSpeaker(catalogue: Catalogue, voice: BareVoice): Speaker {
  return { spec: voice, companionFor: (script) => catalogue.companionFor(voice, script) }
}

/**
 * Speaks what its base voice can; the companions for other scripts are adapted to the same recording. Throws
 * `voice_disabled` while its base voice is not installed.
 */
export function clonedSpeaker(catalogue: Catalogue, clone: Clone): Speaker {
  const { adaptationFor } = loadAdapting()
  const profile = JSON.parse(clone.profile) as AdaptedProfile
  const base = catalogue.find(clone.baseVoiceId)
  if (!base) {
    const message = 'voice_id: the voice that speaks for this clone is not installed at the moment.'
    throw new AppError('voice_disabled', message, { param: 'voice_id' })
  }
  const adapted = (voice: BareVoice, id: string): VoiceSpec => ({
    ...voice,
    id,
    adaptation: adaptationFor(profile, voice.id),
  })
  return {
    spec: adapted(base, clone.id),
    companionFor(script) {
      const companion = catalogue.companionFor({ ...base, gender: clone.gender }, script)
      return adapted(companion, `${clone.id} ${companion.id}`)
    },
  }
}
