/** The voices that speak a request. A clone is a catalogue voice that is adapted or converted. */
import { AppError } from '../errors'
import type { Converter } from '../cloning/convert/installed-converter'
import type { ConvertedProfile } from '../cloning/convert/profile'
import type { Conversion, VoiceSpec } from '../speech/voice'
import { converterSampleRate } from '../cloning/convert/converter-pack'
import { readProfile } from '../cloning/profiles'
import type { Catalogue } from '../voice/catalogue'
import type { Clone } from '../voice/clones'

/** Loads the statistics of all voices on demand, so that a start without clones does not. */
const loadAdapting = () => require('../cloning/adapt/profile') as typeof import('../cloning/adapt/profile')

/** The voice that a request names, and those that help it out. */
export type SpeakingVoice = {
  readonly spec: VoiceSpec
  /** The voice that speaks a script which `spec` cannot. */
  readonly fallbackVoiceFor: (script: string) => VoiceSpec
}

/** Finds the tone converter that is currently installed. */
export type FindConverter = () => Converter | undefined

export function speakingVoiceOf(catalogue: Catalogue, voice: VoiceSpec): SpeakingVoice {
  return { spec: voice, fallbackVoiceFor: (script) => catalogue.fallbackVoiceFor(voice, script) }
}

/**
 * The speaking voice of a clone: its base voice, and fallback voices with the clone's timbre for other scripts. Throws
 * `voice_disabled` when its base or tone converter is no longer installed or was replaced, because the clone would
 * sound different.
 */
export function speakingVoiceOfClone(
  { catalogue, converter }: { readonly catalogue: Catalogue; readonly converter: FindConverter },
  clone: Clone,
): SpeakingVoice {
  const base = catalogue.find(clone.baseVoiceId)
  if (!base) throw cannotSpeak(clone, 'the voice that spoke for it is not installed any more')
  const profile = readProfile(clone.profile)
  if (profile.baseModel !== base.model?.fingerprint)
    throw cannotSpeak(clone, 'the voice that spoke for it was replaced by another one')
  const become =
    profile.version === 2
      ? converted(conversionOf(clone, profile, converter()))
      : ({ id }: VoiceSpec) => ({ adaptation: loadAdapting().adaptationFor(profile, id) })
  return {
    spec: { ...base, ...become(base), id: clone.id },
    fallbackVoiceFor(script) {
      const fallback = catalogue.fallbackVoiceFor(clone, script)
      return { ...fallback, ...become(fallback), id: `${clone.id} ${fallback.id}` }
    },
  }
}

function conversionOf(clone: Clone, profile: ConvertedProfile, converter: Converter | undefined): Conversion {
  if (!converter) throw cannotSpeak(clone, 'the tone converter that it was made with is not installed any more')
  if (converter.fingerprint !== profile.converter)
    throw cannotSpeak(clone, 'the tone converter that it was made with was replaced by another one')
  return { model: converter.model, to: profile.tone }
}

function converted(conversion: Conversion) {
  return (): Partial<VoiceSpec> => ({ conversion, sampleRate: converterSampleRate })
}

function cannotSpeak({ id }: Clone, reason: string): AppError {
  const message = `voice_id: the voice "${id}" cannot speak: ${reason}.`
  return new AppError('voice_disabled', message, { param: 'voice_id' })
}
