/** From what two voices are to how one becomes the other. */
import { bandsHz } from '../../audio/analysis/spectrum'
import { tractRatio } from '../../audio/analysis/tract'
import type { Adaptation } from './adapt'
import { round, type VoiceColor, type VoiceStatistics } from './measure'

/** How far the vocal tract of a base voice may be moved, as ratios: beyond, words get lost. */
export type TractLimits = { readonly least: number; readonly most: number }

const spreadMin = 0.5
const spreadMax = 2.2
/** A melody flatter than this is not measured but missed. */
const spreadSemitonesMin = 0.5
const gainDbMax = 14
/** With this much unvoiced sound its color is believed as much as that of the voiced. */
const halfTrustSeconds = 0.3
/** Recordings end somewhere up there; a voice should not end with them. */
const highHz = 5000
const highGainDbMin = -9

/** The adaptation of a voice that is as `base` says towards `target`. */
export function fit(target: VoiceStatistics, base: VoiceStatistics, tract: TractLimits): Adaptation {
  const { ratio } = tractRatio(target.envelope, base.envelope)
  const limited = round(Math.max(tract.least, Math.min(tract.most, ratio)), 3)
  return {
    pitch: fitPitch(target, base),
    tractRatio: limited,
    ...colorGains(target, {
      voicedDb: warped(base.voicedDb, limited),
      unvoicedDb: warped(base.unvoicedDb, limited),
    }),
    harmonicityDb: target.pitchHz > 0 ? target.harmonicityDb : null,
  }
}

/** What a voice sounds like on some text: as it is, and with its pitch and tract adapted but not yet its color. */
export type Trial = { readonly raw: VoiceColor; readonly shifted: VoiceColor }

/**
 * `adaptation` with gains that a trial has shown to be needed. The text of a trial is short; what it has other than
 * `usual`, the voice in the long run, is its own and no reason to correct anything.
 */
export function tuneColor(
  adaptation: Adaptation,
  target: VoiceStatistics,
  usual: VoiceColor,
  { raw, shifted }: Trial,
): Adaptation {
  const usually = (kind: keyof VoiceColor) => {
    return difference(shifted[kind], warped(difference(raw[kind], usual[kind]), adaptation.tractRatio))
  }
  return { ...adaptation, ...colorGains(target, { voicedDb: usually('voicedDb'), unvoicedDb: usually('unvoicedDb') }) }
}

/** The gains from one color to another. What little unvoiced sound cannot tell, the voiced sound must. */
function colorGains(target: VoiceStatistics, present: VoiceColor): VoiceColor {
  const voiced = difference(target.voicedDb, present.voicedDb)
  const unvoiced = difference(target.unvoicedDb, present.unvoicedDb)
  const trust = target.unvoicedSeconds / (target.unvoicedSeconds + halfTrustSeconds)
  return {
    voicedDb: curve(voiced),
    unvoicedDb: curve(unvoiced.map((gain, k) => trust * gain + (1 - trust) * voiced[k]!)),
  }
}

function fitPitch(target: VoiceStatistics, base: VoiceStatistics): Adaptation['pitch'] {
  if (target.pitchHz === 0 || base.pitchHz === 0) return { fromHz: base.pitchHz, toHz: base.pitchHz, spread: 1 }
  const spread = target.pitchSpreadSemitones / Math.max(spreadSemitonesMin, base.pitchSpreadSemitones)
  return {
    fromHz: base.pitchHz,
    toHz: target.pitchHz,
    spread: round(Math.max(spreadMin, Math.min(spreadMax, spread)), 3),
  }
}

function difference(a: readonly number[], b: readonly number[]): number[] {
  return a.map((value, k) => value - b[k]!)
}

/** What a spectrum becomes when every resonance moves up by `ratio`. */
function warped(db: readonly number[], ratio: number): number[] {
  const bandsPerOctave = 4
  const shift = Math.log2(ratio) * bandsPerOctave
  return db.map((_, k) => {
    const place = Math.max(0, Math.min(db.length - 1, k - shift))
    const below = Math.min(db.length - 2, Math.floor(place))
    return db[below]! + (db[below + 1]! - db[below]!) * (place - below)
  })
}

/** Gains that a filter may have: smooth and bounded. */
function curve(db: number[]): number[] {
  const smooth = db.map((value, k) => ((db[k - 1] ?? value) + 2 * value + (db[k + 1] ?? value)) / 4)
  return smooth.map((value, k) => {
    const least = bandsHz[k]! > highHz ? highGainDbMin : -gainDbMax
    return round(Math.max(least, Math.min(gainDbMax, value)), 1)
  })
}
