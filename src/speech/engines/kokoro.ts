/** Kokoro. */
import type { ModelFiles, SpeechEngine } from '../engine'
import type { Runtime } from '../onnx/runtime'

export async function loadKokoro(_model: ModelFiles, _runtime: Runtime): Promise<SpeechEngine> {
  throw new Error('not built yet')
}
