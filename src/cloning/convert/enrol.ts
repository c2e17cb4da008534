/**
 * Makes a voice from a recording, method "converted": the converter extracts the speaker embedding of the recording,
 * and the nearest voice in language, gender and pitch becomes the base. Accent, melody and rhythm stay those of the
 * base; the timbre becomes the speaker's.
 */
import type { Pcm } from '../../audio/pcm'
import { keepSpeech } from '../../audio/reference/speech'
import { requireSound, type Enrolment } from '../adapt/enrol'
import { measureVoice } from '../adapt/measure'
import { basesFor, findKnown, isInstalled, type MeasuredVoices } from '../bases'
import { languageByDefault } from '../../language'
import { genderOfPitch, semitonesBetween } from '../pitch-gender'
import type { ToneConverter } from './converter'
import { toProfileNumbers } from './profile'
import { prepared } from './speaker-embedding'
import type { VoiceSpec } from '../../speech/voice'

export type ConvertedEnrolOptions = {
  /** BCP 47 tag of the recording; undefined counts as English. */
  readonly language: string | undefined
  readonly bases: readonly VoiceSpec[]
  readonly measured: MeasuredVoices
  readonly converter: ToneConverter
}

/** Throws `UnusableReference` for silence, `RangeError` when there is no base, and the converter's errors. */
export async function enrolConverted(
  reference: Pcm,
  { language, bases, measured, converter }: ConvertedEnrolOptions,
): Promise<Enrolment> {
  requireSound(reference)
  const spoken = language ?? languageByDefault
  const { pitchHz } = measureVoice(reference)
  const base = nearestBase(pitchHz, basesFor(bases, spoken, measured), measured)
  const speakerEmbedding = await converter.extract(prepared(keepSpeech(reference), converter.sampleRate))
  return {
    profile: {
      version: 2,
      method: 'converted',
      converter: converter.fingerprint,
      target: { pitchHz },
      tone: toProfileNumbers(speakerEmbedding),
    },
    language: spoken,
    base: base.id,
  }
}

/** Prefers the same gender, then installed voices, then the nearest pitch, then the first. */
function nearestBase(pitchHz: number, bases: readonly VoiceSpec[], measured: MeasuredVoices): VoiceSpec {
  const gender = genderOfPitch(pitchHz)
  const ranked = bases.map((base) => {
    const { statistics } = findKnown(base, measured)!
    const isOther = (base.gender ?? genderOfPitch(statistics.pitchHz)) !== gender
    return {
      base,
      class: (isOther ? 2 : 0) + (isInstalled(base) ? 0 : 1),
      semitones: semitonesBetween(pitchHz, statistics.pitchHz),
    }
  })
  const [first] = ranked.sort((a, b) => a.class - b.class || a.semitones - b.semitones)
  if (!first) throw new RangeError('There is no base voice for a clone.')
  return first.base
}
