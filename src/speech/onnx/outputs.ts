/** Converts the outputs of graphs to numbers. */
import type { Tensor } from './runtime'

/** Returns float32 data. Throws on values that are not finite. */
export function samplesOf({ data }: Tensor): Float32Array {
  return requireFinite(data as Float32Array)
}

/** Returns `samples`. Throws on values that are not finite. */
export function requireFinite(samples: Float32Array): Float32Array {
  // An index is 25 times as fast as an iterator here.
  for (let i = 0; i < samples.length; i++)
    if (!Number.isFinite(samples[i]!)) throw new Error('the model gave samples that are not finite')
  return samples
}

/** Returns data of any type. */
export function numbersOf({ data }: Tensor): number[] {
  return Array.from(data as Iterable<number | bigint>, Number)
}
