/** Loads engines, in worker processes only. */
import type { SpeechEngine } from './engine'
import type { Runtime } from './onnx/runtime'
import type { EngineName, Loadable, ModelFiles } from './voice'

/** Loads a built-in engine. Call it at most once per engine and process. */
export async function loadEngine(name: EngineName): Promise<SpeechEngine> {
  switch (name) {
    case 'flite':
      return (await import('./engines/flite')).loadFlite()
    case 'espeak':
      return (await import('./engines/espeak')).loadEspeak()
  }
}

/**
 * Loads the engine of `voice`, with the model of a neural voice. Throws when the model's files have changed since the
 * voice was registered, because they would sound different.
 */
export async function loadEngineOf(voice: Loadable, runtime: () => Promise<Runtime>): Promise<SpeechEngine> {
  const engine = await load(voice, runtime)
  if (voice.model) await (await import('./models/snapshot')).requireUnchanged(voice.model)
  return engine
}

async function load(voice: Loadable, runtime: () => Promise<Runtime>): Promise<SpeechEngine> {
  switch (voice.engine) {
    case 'flite':
    case 'espeak':
      return loadEngine(voice.engine)
    case 'piper':
      return (await import('./engines/piper')).loadPiper(modelOf(voice), await runtime())
    case 'kokoro':
      return (await import('./engines/kokoro')).loadKokoro(modelOf(voice), await runtime())
    case 'kitten':
      return (await import('./engines/kitten')).loadKitten(modelOf(voice), await runtime())
    case 'hibari': {
      const { loadHeart, loadHibari } = await import('./engines/hibari')
      return voice.model ? loadHibari(voice.model, await runtime()) : loadHeart(runtime)
    }
    case 'vits':
      return (await import('./engines/vits')).loadVits(modelOf(voice), await runtime())
  }
}

function modelOf({ engine, model }: Loadable): ModelFiles {
  if (!model) throw new Error(`a voice of ${engine} has no model`)
  return model
}
