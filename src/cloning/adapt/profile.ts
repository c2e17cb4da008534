/** The stored profile of an adapted voice. Every catalogue voice with statistics can be adapted to it. */
import { tractRatio } from '../../audio/analysis/tract'
import { unchanged } from './adapt'
import type { Adaptation, VoiceSpec } from '../../speech/voice'
import { findAdaptableVoice, toleranceOf, type AdaptableVoice } from './adaptable-voices'
import { fit } from './fit'
import type { VoiceStatistics } from './measure'

/** Small JSON without audio. The same recording gives the same bytes. */
export type AdaptedProfile = {
  readonly version: 1
  /** Statistics of the recorded voice. */
  readonly target: VoiceStatistics
  /** Adaptations tuned at enrolment, by base voice id. All others follow from the statistics. */
  readonly tuned: Readonly<Record<string, Adaptation>>
  /** Fingerprint of the base voice's model, if it has one: another model would be another voice. */
  readonly baseModel?: string
}

/** The adaptation of a catalogue voice to the profile. A voice without statistics stays unchanged. */
export function adaptationFor({ target, tuned }: AdaptedProfile, baseVoiceId: string): Adaptation {
  if (Object.hasOwn(tuned, baseVoiceId)) return tuned[baseVoiceId]!
  const base = findAdaptableVoice(baseVoiceId)
  return base ? fit(target, base.statistics, toleranceOf(base)) : unchanged
}

const tractCost = 5
const likenessMost = 1.7
/** Per semitone of pitch shift beyond two. */
const pitchCost = 0.06
const freeSemitones = 2
/** Per dB by which the base is noisier than the target: aspiration noise can be added but not removed. */
const hoarsenessCost = 0.03

/** The voice among `bases` with the cheapest adaptation to `target`. Throws `RangeError` when none has statistics. */
export function chooseBase(
  target: VoiceStatistics,
  bases: readonly VoiceSpec[],
  find: (base: VoiceSpec) => AdaptableVoice | undefined,
): VoiceSpec {
  let best: VoiceSpec | undefined
  let bestCost = Infinity
  for (const base of bases) {
    const known = find(base)
    const cost = known ? costOf(target, known) : Infinity
    if (cost >= bestCost) continue
    best = base
    bestCost = cost
  }
  if (!best) throw new RangeError(`None of ${bases.map(({ id }) => id).join(', ') || 'no voices'} can be adapted.`)
  return best
}

function costOf(target: VoiceStatistics, base: AdaptableVoice): number {
  const { statistics } = base
  const { ratio, likeness } = tractRatio(target.envelope, statistics.envelope)
  const semitones = target.pitchHz > 0 ? Math.abs(12 * Math.log2(target.pitchHz / statistics.pitchHz)) : 0
  const hoarserDb = Math.max(0, target.harmonicityDb - statistics.harmonicityDb)
  return (
    tractCost * Math.abs(Math.log(ratio)) +
    (likenessMost - likeness) +
    pitchCost * Math.max(0, semitones - freeSemitones) +
    hoarsenessCost * hoarserDb +
    toleranceOf(base).cost
  )
}
