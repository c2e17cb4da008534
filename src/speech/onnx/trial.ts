/** A graph so small that only the provider can be at fault: `y = x · x` of 4 × 4 numbers. */
import { openRuntime } from './runtime'
import type { RuntimeOptions } from './runtime-options'

/** Written by the graph builder of the tests, which hold it to that. */
export const trialGraph = Uint8Array.fromBase64(
  'CAgSC3NvbmFudCB0ZXN0OlgKEgoBeAoBeBICdDAiBk1hdE11bAoRCgJ0MBIBeSIISWRlbnRpdHkSBWdyYXBoWhMKAXgSDgoMCAESCAoCCAQKAggEYhMKAXkSDgoMCAESCAoCCAQKAggEQgIQDw==',
)
const size = 4
const tolerance = 1e-3

/** Computes with the runtime that `options` ask for. Throws when it cannot, or when what it computes is wrong. */
export async function tryRuntime(options: RuntimeOptions): Promise<void> {
  const runtime = await openRuntime(options)
  const session = await runtime.openSession(trialGraph)
  const values = Float32Array.from({ length: size * size }, (_, i) => Math.sin(i))
  const { y } = await session.run({ x: runtime.float32(values, [size, size]) })
  const found = y!.data as Float32Array
  for (let row = 0; row < size; row++)
    for (let column = 0; column < size; column++) {
      let expected = 0
      for (let k = 0; k < size; k++) expected += values[row * size + k]! * values[k * size + column]!
      const difference = Math.abs(found[row * size + column]! - expected)
      if (!(difference <= tolerance)) throw new Error(`${options.provider} computes wrongly`)
    }
  await session.release()
}
