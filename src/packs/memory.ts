/** The memory that a process with an open model needs, estimated from the size of its parameters. */
import type { GraphInfo } from '../speech/onnx/file'

/**
 * Memory of a process with an open model beyond its parameters: onnxruntime's library, 30 MB, and one sentence.
 * Measured: 34 MB with HiFi-GAN V2 (3.7 MB of parameters), 59 MB after a sentence of 5 s.
 */
const memoryBytesBase = 64e6
/** Per byte of parameters; measured 1.0 (convolutions) to 1.5 (matrices, some of which are kept twice). */
const memoryFactor = 1.5

/** Estimates the memory of a process with these graphs. */
export function estimateMemoryBytes(graphs: readonly Pick<GraphInfo, 'parameterBytes'>[]): number {
  const parameterBytes = graphs.reduce((sum, info) => sum + info.parameterBytes, 0)
  return Math.round(memoryBytesBase + memoryFactor * parameterBytes)
}

/** The inverse of `estimateMemoryBytes`. */
export function parameterBytesOf(estimatedBytes: number): number {
  return (estimatedBytes - memoryBytesBase) / memoryFactor
}
