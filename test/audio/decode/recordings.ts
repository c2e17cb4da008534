/**
 * Recordings to decode: small ones from the repository, those beside the repository, and the comparison of two
 * decodings.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { decode, type DecodeLimits } from '../../../src/audio/decode/decode'

export const limits: DecodeLimits = { secondsMax: 20, channelsMax: 8, sizeBytesMax: 15 * 2 ** 20, timeoutMs: 20_000 }

const fixtures = join(import.meta.dir, '../../fixtures/audio')
/** Outside the repository; tests that need it are skipped without it. */
export const sharedSpeech = join(import.meta.dir, '../../../../shared/speech')

export function fixturePath(name: string): string {
  return join(fixtures, name)
}

export function readFixture(name: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(fixturePath(name)))
}

/** The code of the `BadAudio` that refuses `bytes`, or 'decoded'. Rethrows other errors. */
export async function outcome(bytes: Uint8Array, over: Partial<DecodeLimits> = {}): Promise<string> {
  try {
    await decode(bytes, { ...limits, ...over })
    return 'decoded'
  } catch (error) {
    if (error instanceof Error && error.name === 'BadAudio' && 'code' in error) return String(error.code)
    throw error
  }
}

/**
 * The lag of `decoded` behind `original` in samples (positive: later), both at one rate, and the signal-to-noise ratio
 * in dB at that lag. Searches lags up to `lagMax` in both directions.
 */
export function compare(original: Float32Array, decoded: Float32Array, lagMax = 1500): { lag: number; snrDb: number } {
  const measure = (lag: number, step: number) => {
    let signal = 0
    let noise = 0
    for (let i = lagMax; i < Math.min(original.length, decoded.length) - lagMax; i += step) {
      signal += original[i]! ** 2
      noise += (original[i]! - decoded[i + lag]!) ** 2
    }
    if (signal === 0) throw new Error('nothing to compare')
    return 10 * Math.log10(signal / noise)
  }
  let lag = 0
  let best = -Infinity
  for (let candidate = -lagMax; candidate <= lagMax; candidate++) {
    const snrDb = measure(candidate, 5)
    if (snrDb > best) [lag, best] = [candidate, snrDb]
  }
  return { lag, snrDb: measure(lag, 1) }
}
