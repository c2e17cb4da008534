/** Loads engines. An engine lives in a worker process. */
import type { SpeechEngine } from './engine'
import type { Runtime } from './onnx/runtime'
import type { EngineName, Loadable, ModelFiles } from './voice'

/** Loads a built-in engine; each worker process does so at most once per engine. */
export async function loadEngine(name: EngineName): Promise<SpeechEngine> {
  switch (name) {
    case 'flite':
      return (await import('./engines/flite')).loadFlite()
    case 'espeak':
      return (await import('./engines/espeak')).loadEspeak()
  }
}

/**
 * Loads what speaks with `voice`: for a neural voice its model. Throws when its files are not those any more that the
 * voice was found in: they would speak with another one.
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
    case 'vits':
      return (await import('./engines/vits')).loadVits(modelOf(voice), await runtime())
  }
}

function modelOf({ engine, model }: Loadable): ModelFiles {
  if (!model) throw new Error(`a voice of ${engine} has no model`)
  return model
}
