/**
 * Makes a voice from a recording, method "adapted": measures the recording, chooses the nearest catalogue voice, and
 * tunes that voice's adaptation on a few words of it. The result resembles the speaker in pitch, melody, brightness and
 * aspiration noise. Articulation and rhythm stay those of the base voice.
 */
import type { Pcm } from '../../audio/pcm'
import { basesFor, findKnown, firstOfSpeakers, isInstalled, type MeasuredVoices } from '../bases'
import type { VoiceSpec } from '../../speech/voice'
import { languageByDefault } from '../../language'
import { genderOfPitch, semitonesBetween } from '../pitch-gender'
import type { VoiceProfile } from '../profiles'
import { tuningTexts } from '../../speech/tuning-texts'
import { adapt, unchanged } from './adapt'
import { toleranceOf, type AdaptableVoice } from './adaptable-voices'
import { fit, tuneColor } from './fit'
import { measureColor, measureVoice, type VoiceStatistics } from './measure'
import { chooseBase, type AdaptedProfile } from './profile'

export type EnrolOptions = {
  /** BCP 47 tag of the recording; undefined when unknown. */
  readonly language: string | undefined
  /** Candidate base voices; those of the language are preferred. */
  readonly bases: readonly VoiceSpec[]
  readonly measured?: MeasuredVoices
  /** Speaks with the voice without any adaptation. */
  readonly synthesize: (voice: VoiceSpec, text: string) => Promise<Pcm>
  /** The voices that `synthesize` accepts; any other base is adapted from its statistics only. */
  readonly canSpeak?: (voice: VoiceSpec) => boolean
}

export type Enrolment<Profile extends VoiceProfile = VoiceProfile> = {
  readonly profile: Profile
  /** BCP 47. */
  readonly language: string
  /** Id of the base voice in this language. */
  readonly base: string
}

/** The recording holds no usable voice. */
export class UnusableReference extends Error {
  override readonly name = 'UnusableReference'
}

/** A recording with a lower peak is silent; −60 dBFS. */
const peakMin = 0.001
/** A built-in base replaces an installed one further away than this, or of the other gender. */
const installedSemitonesMax = 6

/**
 * Makes the profile of the voice in `reference`. An unknown language counts as English: it cannot be guessed from the
 * pitch. Tones should move the pitch within syllables, but in ten recordings (nine English, one Mandarin) the Mandarin
 * one moved it least (9 semitones a second, English 12 to 25), and the rates overlap. Throws `UnusableReference` for
 * silence, and `RangeError` when no base can be adapted.
 */
export async function enrol(
  reference: Pcm,
  { language, bases, measured = {}, synthesize, canSpeak = ({ engine }) => engine === 'flite' }: EnrolOptions,
): Promise<Enrolment<AdaptedProfile>> {
  requireSound(reference)
  const spoken = language ?? languageByDefault
  const target = measureVoice(reference)
  const base = chooseAmong(target, firstOfSpeakers(basesFor(bases, spoken, measured)), measured)
  const profile: AdaptedProfile = { version: 1, target, tuned: {} }
  const speaks = canSpeak(base)
  if (!speaks && !isInstalled(base)) return { profile, language: spoken, base: base.id }
  const known = findKnown(base, measured)!
  const tuned = speaks ? await tune(target, base, known, synthesize) : fit(target, known.statistics, toleranceOf(known))
  return { profile: { ...profile, tuned: { [base.id]: tuned } }, language: spoken, base: base.id }
}

/** Throws `UnusableReference` for silence. */
export function requireSound({ samples }: Pcm): void {
  const peak = samples.reduce((most, value) => Math.max(most, Math.abs(value) || 0), 0)
  if (!(peak >= peakMin)) throw new UnusableReference('The recording is silent.')
}

/** An installed voice near the target, else the voice that needs the least change. */
function chooseAmong(target: VoiceStatistics, bases: readonly VoiceSpec[], measured: MeasuredVoices): VoiceSpec {
  const find = (base: VoiceSpec) => findKnown(base, measured)
  const near = bases.filter((base) => {
    const { pitchHz } = find(base)!.statistics
    const isClose = semitonesBetween(target.pitchHz, pitchHz) <= installedSemitonesMax
    return isInstalled(base) && isClose && genderOfPitch(target.pitchHz) === genderOfPitch(pitchHz)
  })
  const builtIn = bases.filter((base) => !isInstalled(base))
  return chooseBase(target, [near, builtIn, bases].find(({ length }) => length > 0) ?? [], find)
}

/** Corrects the adaptation from the statistics by the measured sound of a trial. */
async function tune(
  target: VoiceStatistics,
  base: VoiceSpec,
  known: AdaptableVoice,
  synthesize: EnrolOptions['synthesize'],
) {
  const speech = await synthesize(base, tuningTexts(base.language)[0]!)
  const promised = fit(target, known.statistics, toleranceOf(known))
  const { pitch, tractRatio } = promised
  const shifted = adapt(speech, { ...unchanged, pitch, tractRatio })
  const trial = { raw: measureColor(speech, pitch.fromHz), shifted: measureColor(shifted, pitch.toHz) }
  return tuneColor(promised, target, known.statistics, trial)
}
