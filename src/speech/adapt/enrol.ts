/**
 * Making a voice from a recording, method "adapted": measure the recording, choose the voice of the catalogue that is
 * least far from it, and tune that voice's adaptation on a few words it says. The result resembles the speaker in pitch,
 * melody, brightness and breath; articulation and rhythm stay those of the base voice.
 */
import type { Pcm } from '../../audio/pcm'
import { basesFor, findKnown, firstOfSpeakers, isInstalled, type Base, type MeasuredVoices } from '../bases'
import type { VoiceSpec } from '../engine'
import { languageByDefault } from '../language'
import { genderOfPitch, semitonesBetween } from '../pitch-gender'
import type { VoiceProfile } from '../profiles'
import { tuningTexts } from '../tuning-texts'
import { adapt, unchanged } from './adapt'
import { toleranceOf, type BaseVoice } from './base-voices'
import { fit, tuneColor } from './fit'
import { measureColor, measureVoice, type VoiceStatistics } from './measure'
import { chooseBase, type AdaptedProfile } from './profile'

export type EnrolOptions = {
  /** BCP 47, of the recording; undefined when nobody said. */
  readonly language: string | undefined
  /** Voices that may be the base; those of the language are preferred. */
  readonly bases: readonly Base[]
  readonly measured?: MeasuredVoices
  /** Speaks with the voice as it is. */
  readonly synthesize: (voice: VoiceSpec, text: string) => Promise<Pcm>
  /** Which voices `synthesize` is to speak with; any other base is adapted by its statistics alone. */
  readonly canSpeak?: (voice: VoiceSpec) => boolean
}

export type Enrolment<Profile extends VoiceProfile = VoiceProfile> = {
  readonly profile: Profile
  /** BCP 47. */
  readonly language: string
  /** The id of the voice that speaks for the clone in this language. */
  readonly base: string
}

/** A recording in which there is nothing to make a voice from. */
export class UnusableReference extends Error {
  override readonly name = 'UnusableReference'
}

/** Below this peak a recording is silent, −60 dBFS. */
const peakMin = 0.001
/** An installed voice further away than that, or of the other gender, is no better a base than a built-in one. */
const installedSemitonesMax = 6

/**
 * Makes the profile of the voice in `reference`. A language that nobody said is taken to be English, not guessed: tones
 * should move the pitch within syllables, but of the recordings measured (nine English, one Mandarin) the Mandarin one
 * moved it least (9 semitones a second; the English ones 12 to 25), and the rates overlap. Throws `UnusableReference`
 * for silence, and `RangeError` when no base can be adapted.
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

/** An installed voice that is near the target, else whichever needs the least change. */
function chooseAmong(target: VoiceStatistics, bases: readonly Base[], measured: MeasuredVoices): Base {
  const find = (base: Base) => findKnown(base, measured)
  const near = bases.filter((base) => {
    const { pitchHz } = find(base)!.statistics
    const isClose = semitonesBetween(target.pitchHz, pitchHz) <= installedSemitonesMax
    return isInstalled(base) && isClose && genderOfPitch(target.pitchHz) === genderOfPitch(pitchHz)
  })
  const builtIn = bases.filter((base) => !isInstalled(base))
  return chooseBase(target, [near, builtIn, bases].find(({ length }) => length > 0) ?? [], find)
}

/** What the statistics promise, corrected by what the voice then sounds like. */
async function tune(
  target: VoiceStatistics,
  base: VoiceSpec,
  known: BaseVoice,
  synthesize: EnrolOptions['synthesize'],
) {
  const speech = await synthesize(base, tuningTexts(base.language)[0]!)
  const promised = fit(target, known.statistics, toleranceOf(known))
  const { pitch, tractRatio } = promised
  const shifted = adapt(speech, { ...unchanged, pitch, tractRatio })
  const trial = { raw: measureColor(speech, pitch.fromHz), shifted: measureColor(shifted, pitch.toHz) }
  return tuneColor(promised, target, known.statistics, trial)
}
