/**
 * Kokoro-82M. What its own pipeline does (kokoro/pipeline.py and kokoro/model.py of https://github.com/hexgrad/kokoro):
 * up to 510 symbols at a time between two zeros, the row of the style that is made for so many symbols, nothing added
 * between parts. The pauses at marks are the model's own.
 */
import { join } from 'node:path'
import type { ModelFiles, SpeechEngine } from '../engine'
import { openPackFolder } from '../models/folder'
import { kokoroRows, readKokoroModel } from '../models/kokoro'
import { readStyleSignature } from '../models/style-graph'
import { openGraph } from '../onnx/graph'
import type { Runtime } from '../onnx/runtime'
import { loadPhonemizer } from '../phonemes/espeak'
import { speakKokoro } from '../phonemes/kokoro'
import { cutRuns } from '../phonemes/runs'
import { createStyleCache } from './style-cache'
import { speakRuns } from './style-speech'

const edge = [0]

/** Throws `BadPack` when the folder's files are not what they were. */
export async function loadKokoro({ directory, graph }: ModelFiles, runtime: Runtime): Promise<SpeechEngine> {
  const { session, metadata } = await openGraph(runtime, join(directory, graph))
  const signature = readStyleSignature(graph, session)
  const { sampleRate, vocabulary, styles } = await readKokoroModel(await openPackFolder(directory), metadata)
  const styleOf = createStyleCache(styles)
  const phonemizer = await loadPhonemizer()
  // A speed that is a whole number can only be 1; the pipeline does the rest.
  const anySpeed = signature.speed.type === 'float32'
  return {
    async synthesize(voice, text, { speed } = { speed: 1 }) {
      const { symbols, words } = await speakKokoro(phonemizer, text, voice.settings.voice, vocabulary)
      const graphSpeed = anySpeed ? speed : 1
      const speech = await speakRuns(
        { runtime, session, signature, vocabulary },
        {
          sampleRate,
          style: await styleOf(voice.settings.voice),
          // As in Python; kokoro.js and sherpa-onnx take the row after it.
          rowOf: (run) => Math.min(run.length, kokoroRows) - 1,
          lead: edge,
          trail: edge,
          tailSamples: 0,
        },
        { runs: cutRuns(symbols, vocabulary, kokoroRows), words, speed: graphSpeed },
      )
      return { ...speech, speed: graphSpeed }
    },
  }
}
