/** What graphs gave, as numbers. */
import type { Tensor } from './runtime'

/** Of float32. Throws when one is no number. */
export function samplesOf({ data }: Tensor): Float32Array {
  const samples = data as Float32Array
  for (const sample of samples)
    if (!Number.isFinite(sample)) throw new Error('the model gave samples that are no numbers')
  return samples
}

/** Of any type. */
export function numbersOf({ data }: Tensor): number[] {
  return Array.from(data as Iterable<number | bigint>, Number)
}
