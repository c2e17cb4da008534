/**
 * Kokoro-82M. What its own pipeline does (kokoro/pipeline.py and kokoro/model.py of https://github.com/hexgrad/kokoro):
 * up to 510 symbols at a time between two zeros, the row of the style that is made for so many symbols, nothing added
 * between parts. The pauses at marks are the model's own.
 */
import { join } from 'node:path'
import type { ModelFiles, SpeechEngine } from '../engine'
import { openPackFolder } from '../models/folder'
import { readKokoroModel } from '../models/kokoro'
import { readStyleSignature } from '../models/style-graph'
import { styleSize } from '../models/styles'
import { openGraph } from '../onnx/graph'
import type { Runtime } from '../onnx/runtime'
import { loadPhonemizer } from '../phonemes/espeak'
import { speakKokoro } from '../phonemes/kokoro'
import { cutRuns } from '../phonemes/runs'
import { createStyleCache } from './style-cache'
import { speakRuns } from './style-speech'

const edge = [0]
const symbolsMax = 510

/** Throws `BadPack` when the folder's files are not what they were. */
export async function loadKokoro(model: ModelFiles, runtime: Runtime): Promise<SpeechEngine> {
  const { directory, graph } = model
  const { session, metadata } = await openGraph(runtime, join(directory, graph))
  const signature = readStyleSignature(graph, session)
  const { sampleRate, vocabulary, styles } = await readKokoroModel(await openPackFolder(directory), metadata)
  const styleOf = createStyleCache(model, styles)
  const phonemizer = await loadPhonemizer()
  // A speed that is a whole number can only be 1; the pipeline does the rest.
  const anySpeed = signature.speed.type === 'float32'
  return {
    async synthesize(voice, text, { speed } = { speed: 1 }) {
      const { symbols, words } = await speakKokoro(phonemizer, text, voice.settings.voice, vocabulary)
      const style = await styleOf(voice.settings.voice)
      const graphSpeed = anySpeed ? speed : 1
      const speech = await speakRuns(
        { runtime, session, signature, vocabulary },
        {
          sampleRate,
          style,
          // v0.19 has a row for none before those for 1 to 510. kokoro.js and sherpa-onnx take the row after always.
          rowOf: (run) => (style.length / styleSize > symbolsMax ? run.length : run.length - 1),
          lead: edge,
          trail: edge,
          tailSamples: 0,
        },
        { runs: cutRuns(symbols, vocabulary, symbolsMax), words, speed: graphSpeed },
      )
      return { ...speech, speed: graphSpeed }
    },
  }
}
