/** Piper. */
import type { ModelFiles, SpeechEngine } from '../engine'
import type { Runtime } from '../onnx/runtime'

export async function loadPiper(_model: ModelFiles, _runtime: Runtime): Promise<SpeechEngine> {
  throw new Error('not built yet')
}
