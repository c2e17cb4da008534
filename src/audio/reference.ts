/**
 * Checks whether a recording is good enough to clone a voice from, and advises the speaker. Only silence and less than
 * a second of sound are errors. All bounds stand well clear of clean recordings; docs/reference-check.md gives the
 * detection rate of each fault.
 */
import { blockMeans, durationSeconds, type Pcm } from './pcm'
import * as bands from './reference/bands'
import { steadyToneShare } from './reference/tones'
import { measureVoices } from './reference/voices'

export type ReferenceError = 'silent' | 'too_short'

export type WarningCode =
  | 'short'
  | 'mostly_silence'
  | 'clipped'
  | 'quiet'
  | 'noisy'
  | 'narrow_band'
  | 'reverberant'
  | 'several_voices'
  | 'music'

/** `message` tells the speaker what was found and what to do about it. */
export type Warning = { readonly code: WarningCode; readonly message: string }

export type ReferenceCheck = { readonly error?: ReferenceError; readonly warnings: readonly Warning[] }

const soundSecondsMin = 1
const silentDbfs = -60
const speechSecondsMin = 5
const speechShareMin = 0.5
const clippedShareMax = 2e-4
/** Clipping leaves very many samples this near to the highest. */
const clippedNearness = 0.99
/** Below this peak the steps of 8-bit files look like clipping. */
const clippedPeakMin = 0.25
const speechDbfsMin = -42
const signalToNoiseDbMin = 15
const hissDbMin = -32
const decayDbPerSecondMin = 200
const steadyToneShareMax = 0.05
const overlapShareMax = 0.018
/** With a slower decay the last vowel overlaps the next one, as a second voice would. */
const dryDbPerSecondMin = 250
const pitchGapSemitonesMax = 8.5
const groupSecondsMin = 1.2
/** For spectra, Hz. */
const wideSampleRateMin = 16_000
/** For pitch and tones, Hz. */
const narrowSampleRate = 8000

/** Checks mono sound with finite samples. 15 s take about 0.1 s. */
export function checkReference(pcm: Pcm): ReferenceCheck {
  const found = measureReference(pcm)
  if (found.peakDbfs < silentDbfs || found.soundSeconds === 0) return { error: 'silent', warnings: [] }
  // Only complete frames count, so one second of sound lacks one frame.
  if (found.soundSeconds + bands.frameSeconds < soundSecondsMin) return { error: 'too_short', warnings: [] }
  return { warnings: findWarnings(found) }
}

export type Measures = ReturnType<typeof measureReference>

/** The measurements behind `checkReference`. */
export function measureReference(pcm: Pcm) {
  // Both rates keep the analyzed bands and save two thirds of the time.
  const wide = decimate(pcm, Math.floor(pcm.sampleRate / wideSampleRateMin))
  const narrow = decimate(wide, Math.round(wide.sampleRate / narrowSampleRate))
  const powers = bands.measureBands(wide)
  const loud = bands.loudPower(powers)
  const noise = bands.noisePower(powers)
  const isSound = bands.framesAbove(powers, Math.max(loud * 1e-4, fromDb(silentDbfs)))
  const isSpeech = bands.framesAbove(powers, Math.max(loud * 1e-3, 3 * noise))
  const speechPower = mean(powers.total.filter((power) => power > loud * 1e-3))
  const peak = peakOf(pcm.samples)
  return {
    peakDbfs: 20 * Math.log10(peak),
    seconds: durationSeconds(pcm),
    soundSeconds: secondsOf(isSound),
    speechSeconds: secondsOf(isSpeech),
    speechDbfs: toDb(speechPower),
    signalToNoiseDb: toDb(Math.max(0, speechPower - noise) / noise),
    clippedShare: peak < clippedPeakMin ? 0 : shareAbove(pcm.samples, clippedNearness * peak),
    hissDb: bands.hissDb(powers),
    decayDbPerSecond: bands.decayDbPerSecond(powers),
    steadyToneShare: steadyToneShare(narrow),
    ...measureVoices(narrow),
  }
}

function findWarnings(found: Measures): Warning[] {
  const warnings: Warning[] = []
  const warn = (isSo: boolean, code: WarningCode, message: string) => {
    if (isSo) warnings.push({ code, message })
  }
  const { speechSeconds, signalToNoiseDb } = found
  const speechShare = speechSeconds / found.seconds
  const isNoisy = signalToNoiseDb < signalToNoiseDbMin
  const hasMusic = found.steadyToneShare > steadyToneShareMax
  const isReverberant = !isNoisy && !hasMusic && found.decayDbPerSecond < decayDbPerSecondMin
  const overlaps = found.decayDbPerSecond > dryDbPerSecondMin && found.overlapShare > overlapShareMax
  const takesTurns = found.pitchGapSemitones > pitchGapSemitonesMax && found.smallerGroupSeconds > groupSecondsMin
  warn(
    speechSeconds < speechSecondsMin,
    'short',
    `Only ${speechSeconds.toFixed(1)} s of speech were found. Speak for 10 to 15 seconds.`,
  )
  warn(
    speechShare < speechShareMin,
    'mostly_silence',
    `Only ${Math.round(100 * speechShare)} % of the recording is speech. Cut off the silence, or speak without long pauses.`,
  )
  warn(
    found.clippedShare > clippedShareMax,
    'clipped',
    'The recording is too loud for its microphone: peaks are cut off. Record again with less gain, or further away.',
  )
  warn(
    found.speechDbfs < speechDbfsMin,
    'quiet',
    `The voice is very quiet (${Math.round(found.speechDbfs)} dBFS). Move closer to the microphone, or raise its gain.`,
  )
  warn(
    isNoisy,
    'noisy',
    `The background is only ${Math.max(0, Math.round(signalToNoiseDb))} dB quieter than the voice. Record in a quiet place, close to the microphone.`,
  )
  warn(
    !isNoisy && found.hissDb < hissDbMin,
    'narrow_band',
    'There is almost no sound above 4 kHz, as on a telephone. Record with a microphone at 16 kHz or more.',
  )
  warn(
    isReverberant,
    'reverberant',
    'The room echoes. Record close to the microphone, in a room with carpets, curtains or full shelves.',
  )
  warn(hasMusic, 'music', 'There are steady tones, as of music, singing or humming machines. Record only speech.')
  warn(
    !hasMusic && (overlaps || takesTurns),
    'several_voices',
    'There seems to be more than one voice. Use a recording of a single speaker.',
  )
  return warnings
}

function shareAbove(samples: Float32Array, level: number): number {
  let count = 0
  for (let i = 0; i < samples.length; i++) if (Math.abs(samples[i]!) >= level) count++
  return count / samples.length
}

/** Divides the sample rate by `factor`. The block mean is a coarse low-pass, sufficient for these measurements. */
function decimate({ samples, sampleRate }: Pcm, factor: number): Pcm {
  if (factor <= 1) return { samples, sampleRate }
  return { samples: blockMeans(samples, factor), sampleRate: sampleRate / factor }
}

function peakOf(samples: Float32Array): number {
  let most = 0
  for (let i = 0; i < samples.length; i++) most = Math.max(most, Math.abs(samples[i]!))
  return most
}

function secondsOf(frames: readonly boolean[]): number {
  return frames.filter(Boolean).length * bands.frameStepSeconds
}

function mean(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
}

function toDb(power: number): number {
  return 10 * Math.log10(power)
}

function fromDb(db: number): number {
  return 10 ** (db / 10)
}
