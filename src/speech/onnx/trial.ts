/** A tiny graph that tests only the provider: the square of a matrix. */
import { openRuntime, type Runtime, type Session } from './runtime'
import type { RuntimeOptions } from './runtime-options'

/** Written by the graph builder of the tests, which verify it. */
export const trialGraph = Uint8Array.fromBase64(
  'CAgSC3NvbmFudCB0ZXN0OlwKEgoBeAoBeBICdDAiBk1hdE11bAoRCgJ0MBIBeSIISWRlbnRpdHkSBWdyYXBoWhUKAXgSEAoOCAESCgoDEgFuCgMSAW5iFQoBeRIQCg4IARIKCgMSAW4KAxIBbkICEA8=',
)
const checkedSize = 4
const tolerance = 1e-3
/** A billion operations: a CPU takes ten milliseconds, a GPU less, an emulated GPU far more. */
const timedSize = 768
const timedRuns = 5
/** Slower than any acceptable provider. */
const slowMs = 500

/**
 * Computes with the runtime of `options`. Returns the shortest time of a few products in milliseconds. Throws on a
 * failure or a wrong result.
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
