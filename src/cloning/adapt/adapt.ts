/**
 * Adapts the speech of a base voice to another speaker: pitch, melody and vocal tract by PSOLA, then the spectrum by
 * filters, then aspiration noise.
 */
import { trackPitch, type PitchRange, type PitchTrack } from '../../audio/analysis/pitch'
import { bandsHz } from '../../audio/analysis/spectrum'
import { addAspirationNoise } from '../../audio/aspiration-noise'
import { equalize } from '../../audio/equalize'
import type { Pcm } from '../../audio/pcm'
import { shiftVoice } from '../../audio/psola'
import type { Adaptation } from '../../speech/voice'

/** The adaptation without any change. */
export const unchanged: Adaptation = {
  pitch: { fromHz: 0, toHz: 0, spread: 1 },
  tractRatio: 1,
  voicedDb: bandsHz.map(() => 0),
  unvoicedDb: bandsHz.map(() => 0),
  harmonicityDb: null,
}

const stepSeconds = 0.005
const noiseStepSeconds = 0.02
/** Pitch search range as factors of the base voice's median, else in Hz. */
const range = { low: 0.5, high: 2.3, minHz: 60, maxHz: 400 }

/** Adapts `speech`. Returns as many samples, all of them finite. */
export function adapt(speech: Pcm, adaptation: Adaptation): Pcm {
  const { sampleRate } = speech
  const samples = speech.samples.map((value) => (Number.isFinite(value) ? value : 0))
  const { fromHz, toHz, spread } = adaptation.pitch
  const pitch = trackPitch({ samples, sampleRate }, pitchRange(fromHz, stepSeconds))
  const pitchHz = (hz: number) => (fromHz > 0 && toHz > 0 ? toHz * (hz / fromHz) ** spread : hz)
  const shifted = shiftVoice({ samples, sampleRate }, pitch, { pitchHz, tractRatio: adaptation.tractRatio })
  const weight = voicedWeight(pitch, samples.length)
  const colored = color(shifted, weight, adaptation)
  if (adaptation.harmonicityDb === null) return colored
  return addAspirationNoise(colored, weight, adaptation.harmonicityDb, pitchRange(toHz, noiseStepSeconds))
}

function pitchRange(medianHz: number, step: number): PitchRange {
  if (medianHz === 0) return { minHz: range.minHz, maxHz: range.maxHz, stepSeconds: step }
  return {
    minHz: Math.max(50, medianHz * range.low),
    maxHz: Math.min(600, medianHz * range.high),
    stepSeconds: step,
  }
}

/** Filters voiced and unvoiced sound separately and crossfades between them. */
function color({ samples, sampleRate }: Pcm, weight: Float32Array, { voicedDb, unvoicedDb }: Adaptation): Pcm {
  const voiced = equalize(
    samples.map((value, i) => value * weight[i]!),
    sampleRate,
    voicedDb,
  )
  const unvoiced = equalize(
    samples.map((value, i) => value * (1 - weight[i]!)),
    sampleRate,
    unvoicedDb,
  )
  return { samples: voiced.map((value, i) => value + unvoiced[i]!), sampleRate }
}

/** 1 in voiced sound, 0 in unvoiced sound, linear between frames. */
export function voicedWeight({ hz, stepSamples }: PitchTrack, length: number): Float32Array {
  const weight = new Float32Array(length)
  const flag = (frame: number) => (hz[Math.min(hz.length - 1, frame)]! > 0 ? 1 : 0)
  for (let i = 0; i < length && hz.length > 0; i++) {
    const frame = Math.floor(i / stepSamples)
    const before = flag(frame)
    weight[i] = before + (flag(frame + 1) - before) * (i / stepSamples - frame)
  }
  return weight
}
