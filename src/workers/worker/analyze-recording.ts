/** Decodes a recording for cloning in a worker, and checks that it is usable. */
import { readFile } from 'node:fs/promises'
import { BadAudio } from '../../audio/decode/bad-audio'
import { decode } from '../../audio/decode/decode'
import { probe } from '../../audio/decode/probe'
import { toInt16 } from '../../audio/pcm'
import { checkReference } from '../../audio/reference'
import { resample } from '../../audio/resample'
import type { RefusalCode, RefusedRecording, Task } from '../protocol'
import type { Performed } from './performed'

/** No voice has a higher sample rate. A higher one only takes longer to send and measure. */
const sampleRateMax = 24_000
/** Tolerance for codec padding, for files that do not state their padding. */
const inexactSeconds = 0.1

export async function analyzeRecording({ path, limits }: Task<'analyze'>): Promise<Performed<'analyze'>> {
  try {
    const bytes = await readFile(path)
    const { durationExact } = probe(bytes)
    const secondsMax = limits.secondsMax + (durationExact ? 0 : inexactSeconds)
    const { pcm } = await decode(bytes, { ...limits, secondsMax })
    const durationSeconds = pcm.samples.length / pcm.sampleRate
    const { error, warnings } = checkReference(pcm)
    if (error) return { answer: refuse('audio_parse_failed', unusable[error]) }
    const { samples, sampleRate } = pcm.sampleRate > sampleRateMax ? resample(pcm, sampleRateMax) : pcm
    const recording = { sampleRate, durationMs: Math.round(durationSeconds * 1000), warnings }
    return { samples: toInt16(samples), answer: { recording } }
  } catch (error) {
    if (error instanceof BadAudio) return { answer: refuse(codes[error.code], error.message) }
    throw error
  }
}

const codes: Record<BadAudio['code'], RefusalCode> = {
  empty: 'unsupported_audio',
  unknown: 'unsupported_audio',
  unsupported: 'unsupported_audio',
  too_many_channels: 'unsupported_audio',
  corrupt: 'audio_parse_failed',
  timeout: 'audio_parse_failed',
  too_long: 'duration_exceeded',
}

const unusable = {
  silent: 'The recording is silent.',
  too_short: 'The recording holds less than a second of sound.',
}

function refuse(code: RefusalCode, message: string): RefusedRecording {
  return { refusal: { code, message } }
}
