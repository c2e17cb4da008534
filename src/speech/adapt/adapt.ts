/**
 * Turning what a base voice said into the sound of another: pitch, melody and vocal tract by PSOLA, then the colour of
 */
import { trackPitch, type PitchRange, type PitchTrack } from '../../audio/analysis/pitch'
import { bandsHz } from '../../audio/analysis/spectrum'
import { addAspirationNoise } from '../../audio/aspiration-noise'
import { equalize } from '../../audio/equalize'
import type { Pcm } from '../../audio/pcm'
import { shiftVoice } from '../../audio/psola'

/** How one base voice becomes the clone. Plain data: it is stored and sent to workers. */
export type Adaptation = {
  readonly pitch: {
    /** Median of the base voice, and what it becomes; 0 leaves the pitch as it is. */
    readonly fromHz: number
    readonly toHz: number
    /** How much wider the melody becomes, on a logarithmic axis. */
    readonly spread: number
  }
  /** How much higher the resonances become; above 1 a shorter vocal tract. */
  readonly tractRatio: number
  /** Gains in dB at `bandsHz`. */
  readonly voicedDb: readonly number[]
  readonly unvoicedDb: readonly number[]
  readonly harmonicityDb: number | null
}

/** The adaptation that leaves everything as it is. */
export const unchanged: Adaptation = {
  pitch: { fromHz: 0, toHz: 0, spread: 1 },
  tractRatio: 1,
  voicedDb: bandsHz.map(() => 0),
  unvoicedDb: bandsHz.map(() => 0),
  harmonicityDb: null,
}

const stepSeconds = 0.005
const noiseStepSeconds = 0.02
/** Where the base voice's pitch is looked for, around its median; without one, where any voice's is. */
const range = { low: 0.5, high: 2.3, minHz: 60, maxHz: 400 }

/** `speech` as `adaptation` has it: as many samples, every one finite. */
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

/** Voiced and unvoiced sound each through its own filter, one fading into the other. */
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

/** 1 where the sound is voiced, 0 where it is not, straight in between from one frame to the next. */
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
