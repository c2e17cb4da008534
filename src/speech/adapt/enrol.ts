/**
 * Making a voice from a recording, method "adapted": measure the recording, choose the voice of the catalogue that is
 * least far from it, and tune that voice's adaptation on a few words it says. The result resembles the speaker in pitch,
 * melody, brightness and breath; articulation and rhythm stay those of the base voice.
 */
import type { Pcm } from '../../audio/pcm'
import type { VoiceSpec } from '../engine'
import { adapt, unchanged } from './adapt'
import { findBaseVoice } from './base-voices'
import { tuneColor } from './fit'
import { measureColor, measureVoice } from './measure'
import { adaptationFor, chooseBase, type AdaptedProfile } from './profile'

export type EnrolOptions = {
  /** BCP 47, of the recording; undefined when nobody said. */
  readonly language: string | undefined
  /** Voices that may be the base; those of the language are preferred. */
  readonly bases: readonly VoiceSpec[]
  /** Speaks with the voice as it is. */
  readonly synthesize: (voice: VoiceSpec, text: string) => Promise<Pcm>
}

export type Enrolment = {
  readonly profile: AdaptedProfile
  /** BCP 47. */
  readonly language: string
  /** The id of the voice that speaks for the clone in this language. */
  readonly base: string
}

/** A recording in which there is nothing to make a voice from. */
export class UnusableReference extends Error {
  override readonly name = 'UnusableReference'
}

/** The language of a recording of which nobody said it. */
const languageByDefault = 'en'
/** Below this peak a recording is silent, −60 dBFS. */
const peakMin = 0.001
/** Twice as long a text was measured to tune no better. */
const tuningText =
  'The old house on the hill was sold last month, and we are going to visit our friends in the city tomorrow.'

/**
 * Makes the profile of the voice in `reference`. A language that nobody said is taken to be English, not guessed: tones
 * should move the pitch within syllables, but of the recordings measured (nine English, one Mandarin) the Mandarin one
 * moved it least (9 semitones a second; the English ones 12 to 25), and the rates overlap. Throws `UnusableReference`
 * for silence, and `RangeError` when no base can be adapted.
 */
export async function enrol(reference: Pcm, { language, bases, synthesize }: EnrolOptions): Promise<Enrolment> {
  const peak = reference.samples.reduce((most, value) => Math.max(most, Math.abs(value) || 0), 0)
  if (!(peak >= peakMin)) throw new UnusableReference('The recording is silent.')
  const spoken = language ?? languageByDefault
  const target = measureVoice(reference)
  const base = chooseBase(target, basesFor(bases, spoken))
  const profile: AdaptedProfile = { version: 1, target, tuned: {} }
  if (base.engine !== 'flite') return { profile, language: spoken, base: base.id }
  const tuned = await tune(profile, base, synthesize)
  return { profile: { ...profile, tuned: { [base.id]: tuned } }, language: spoken, base: base.id }
}

/** Those that speak the language, or all of them. Only one voice of each speaker: the others are made from it. */
function basesFor(bases: readonly VoiceSpec[], language: string): readonly VoiceSpec[] {
  const primary = (tag: string) => tag.split('-')[0]!.toLowerCase()
  const speakers = new Map<string, VoiceSpec>()
  for (const base of bases.toReversed())
    if (!base.adaptation) speakers.set(`${base.engine} ${base.settings.voice}`, base)
  const all = [...speakers.values()].reverse()
  const native = all.filter((base) => primary(base.language) === primary(language))
  return native.length > 0 ? native : all
}

/** What the statistics promise, corrected by what the voice then sounds like. */
async function tune(profile: AdaptedProfile, base: VoiceSpec, synthesize: EnrolOptions['synthesize']) {
  const speech = await synthesize(base, tuningText)
  const promised = adaptationFor(profile, base.id)
  const { pitch, tractRatio } = promised
  const shifted = adapt(speech, { ...unchanged, pitch, tractRatio })
  const trial = { raw: measureColor(speech, pitch.fromHz), shifted: measureColor(shifted, pitch.toHz) }
  return tuneColor(promised, profile.target, findBaseVoice(base.id)!.statistics, trial)
}
