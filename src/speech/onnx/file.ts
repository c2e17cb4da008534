/** What a graph's file says about itself, read without onnxruntime. Format: onnx.proto3 of https://github.com/onnx/onnx. */
import type { TensorInfo } from './runtime'

export type GraphInfo = {
  readonly inputs: readonly TensorInfo[]
  readonly outputs: readonly TensorInfo[]
  /** Of the default domain. */
  readonly opset: number
  readonly metadata: Readonly<Record<string, string>>
  /** Of all parameters, in the file and outside of it. */
  readonly parameterBytes: number
  /** Files with parameters, as written: relative to the graph's. */
  readonly externalFiles: readonly string[]
}
