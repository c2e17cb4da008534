/**
 * Making a voice from a recording, method "converted": the converter takes the tone of the recording, and the voice that
 * is nearest in language, gender and pitch speaks for it. How it speaks, its accent, melody and rhythm, stay that
 * voice's; what it sounds like becomes the speaker's.
 */
import type { Pcm } from '../../audio/pcm'
import { keepSpeech } from '../../audio/reference/speech'
import { requireSound, type Enrolment } from '../adapt/enrol'
import { measureVoice } from '../adapt/measure'
import { basesFor, findKnown, isInstalled, type Base, type MeasuredVoices } from '../bases'
import { languageByDefault } from '../language'
import { genderOfPitch, semitonesBetween } from '../pitch-gender'
import type { ToneConverter } from './converter'
import { toTone } from './profile'
import { prepared } from './tone'

export type ConvertedEnrolOptions = {
  /** BCP 47, of the recording; undefined when nobody said: then it is taken to be English. */
  readonly language: string | undefined
  readonly bases: readonly Base[]
  readonly measured: MeasuredVoices
  readonly converter: ToneConverter
}

/** Throws `UnusableReference` for silence, `RangeError` when there is no base, and what the converter throws. */
export async function enrolConverted(
  reference: Pcm,
  { language, bases, measured, converter }: ConvertedEnrolOptions,
): Promise<Enrolment> {
  requireSound(reference)
  const spoken = language ?? languageByDefault
  const { pitchHz } = measureVoice(reference)
  const base = nearestBase(pitchHz, basesFor(bases, spoken, measured), measured)
  const tone = await converter.extract(prepared(keepSpeech(reference), converter.sampleRate))
  return {
    profile: {
      version: 2,
      method: 'converted',
      converter: converter.fingerprint,
      target: { pitchHz },
      tone: toTone(tone),
    },
    language: spoken,
    base: base.id,
  }
}

/** Of the same gender if there is one; installed rather than built in; then the nearest in pitch, then the first. */
function nearestBase(pitchHz: number, bases: readonly Base[], measured: MeasuredVoices): Base {
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
  if (!first) throw new RangeError('No voice can speak for a clone.')
  return first.base
}
