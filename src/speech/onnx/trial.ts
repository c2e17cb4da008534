/** A graph so small that only the provider can be at fault: the product of a square matrix with itself. */
import { openRuntime, type Runtime, type Session } from './runtime'
import type { RuntimeOptions } from './runtime-options'

/** Written by the graph builder of the tests, which hold it to that. */
export const trialGraph = Uint8Array.fromBase64(
  'CAgSC3NvbmFudCB0ZXN0OlwKEgoBeAoBeBICdDAiBk1hdE11bAoRCgJ0MBIBeSIISWRlbnRpdHkSBWdyYXBoWhUKAXgSEAoOCAESCgoDEgFuCgMSAW5iFQoBeRIQCg4IARIKCgMSAW4KAxIBbkICEA8=',
)
const checkedSize = 4
const tolerance = 1e-3
/** A billion operations: a processor takes ten milliseconds, a GPU less, a GPU that is only imitated far more. */
const timedSize = 768
const timedRuns = 5
/** Slower than any that would be chosen. */
const slowMs = 500

/**
 * Computes with the runtime that `options` ask for, and says how long the shortest of a few products took. Throws when it
 * cannot, or when what it computes is wrong.
 */
export async function tryRuntime(options: RuntimeOptions): Promise<{ runMs: number }> {
  const runtime = await openRuntime(options)
  const session = await runtime.openSession(trialGraph)
  const square = (size: number) => squareOf(runtime, session, size)
  const values = matrix(checkedSize)
  const found = await square(checkedSize)
  if (!isSquare(found, values, checkedSize)) throw new Error(`${options.provider} computes wrongly`)
  let runMs = Infinity
  for (let run = 0; run < timedRuns; run++) {
    const startedAtMs = performance.now()
    await square(timedSize)
    runMs = Math.min(runMs, performance.now() - startedAtMs)
    if (runMs > slowMs) break
  }
  await session.release()
  return { runMs }
}

function matrix(size: number): Float32Array {
  return Float32Array.from({ length: size * size }, (_, i) => Math.sin(i))
}

async function squareOf(runtime: Runtime, session: Session, size: number): Promise<Float32Array> {
  const { y } = await session.run({ x: runtime.float32(matrix(size), [size, size]) })
  return y!.data as Float32Array
}

function isSquare(found: Float32Array, values: Float32Array, size: number): boolean {
  return found.every((value, place) => {
    const [row, column] = [Math.floor(place / size), place % size]
    let expected = 0
    for (let k = 0; k < size; k++) expected += values[row * size + k]! * values[k * size + column]!
    return Math.abs(value - expected) <= tolerance
  })
}
