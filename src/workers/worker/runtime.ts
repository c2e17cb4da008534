/** The onnxruntime of a worker process. It is opened once, when the first model is loaded. */
import type { Runtime } from '../../speech/onnx/runtime'
import { readRuntimeOptions } from '../../speech/onnx/runtime-options'

let runtime: Promise<Runtime> | undefined

/** Opens the runtime with the options in the environment, or returns the open one. */
export function loadRuntime(): Promise<Runtime> {
  return (runtime ??= open())
}

async function open(): Promise<Runtime> {
  return (await import('../../speech/onnx/runtime')).openRuntime(readRuntimeOptions(process.env))
}

/** Measures the provider of this process. */
export async function runTrial(): Promise<{ runMs: number }> {
  return (await import('../../speech/onnx/trial')).tryRuntime(readRuntimeOptions(process.env))
}
