/** Computes the adaptation from one voice's statistics to another's. */
import { bandsHz } from '../../audio/analysis/spectrum'
import { tractRatio } from '../../audio/analysis/tract'
import type { Adaptation } from '../../speech/voice'
import { round, type VoiceColor, type VoiceStatistics } from './measure'

/** Range of vocal tract ratios of a base voice; beyond it words get lost. */
export type TractLimits = { readonly least: number; readonly most: number }

const spreadMin = 0.5
const spreadMax = 2.2
/** A melody flatter than this is a measurement error. */
const spreadSemitonesMin = 0.5
const gainDbMax = 14
/** With this much unvoiced sound its spectrum has half the weight against the voiced prediction. */
const halfTrustSeconds = 0.3
/** Above this recordings lack energy; the gains must not copy their band limit. */
const highHz = 5000
const highGainDbMin = -9

/** The adaptation of a voice with statistics `base` towards `target`. */
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

/** The spectrum of a voice on some text: unchanged, and with pitch and tract adapted but no gains. */
export type Trial = { readonly raw: VoiceColor; readonly shifted: VoiceColor }

/**
 * Corrects the gains of `adaptation` by a trial. A trial's text is short: its deviation from `usual`, the long-term
 * spectrum of the voice, belongs to the text and is not corrected.
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

/** The gains from one spectrum to another. With little unvoiced sound, the voiced gains stand in. */
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

/** The spectrum after every resonance moved up by `ratio`. */
function warped(db: readonly number[], ratio: number): number[] {
  const bandsPerOctave = 4
  const shift = Math.log2(ratio) * bandsPerOctave
  return db.map((_, k) => {
    const place = Math.max(0, Math.min(db.length - 1, k - shift))
    const below = Math.min(db.length - 2, Math.floor(place))
    return db[below]! + (db[below + 1]! - db[below]!) * (place - below)
  })
}

/** Smooths and bounds filter gains. */
function curve(db: number[]): number[] {
  const smooth = db.map((value, k) => ((db[k - 1] ?? value) + 2 * value + (db[k + 1] ?? value)) / 4)
  return smooth.map((value, k) => {
    const least = bandsHz[k]! > highHz ? highGainDbMin : -gainDbMax
    return round(Math.max(least, Math.min(gainDbMax, value)), 1)
  })
}
