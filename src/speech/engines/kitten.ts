/**
 * KittenTTS, as in its own package (kittenml/kittentts_legacy/onnx_model.py of https://github.com/KittenML/KittenTTS,
 * 36ef309): an ellipsis after each part, the style row by the number of letters, the style's speed prior, and the last
 * 5000 samples dropped.
 */
import { join } from 'node:path'
import type { ModelFiles } from '../voice'
import type { SpeechEngine } from '../engine'
import { openPackFolder } from '../models/folder'
import { readKittenModel } from '../models/kitten'
import { readStyleSignature } from '../models/style-graph'
import { styleSize } from '../models/styles'
import { openGraph } from '../onnx/graph'
import type { Runtime } from '../onnx/runtime'
import { loadPhonemizer } from '../phonemes/espeak'
import { speakKitten } from '../phonemes/kitten'
import { cutRuns } from '../phonemes/runs'
import { createStyleCache } from './style-cache'
import { speakRuns } from './style-speech'

/** `max_token_len` in the metadata of sherpa-onnx. */
const tokensMax = 400
/** `$`, the text, then `…` and `$`. */
const lead = [0]
const trail = [10, 0]
const tailSamples = 5000
/** As in `join_timestamps` of Kokoro's pipeline, a model of the same kind. */
const lagUnits = 3

/** Throws `BadPack` when the files of the folder have changed. */
export async function loadKitten(model: ModelFiles, runtime: Runtime): Promise<SpeechEngine> {
  const { directory, graph, convolutions } = model
  const { session, metadata } = await openGraph(runtime, join(directory, graph), { convolutions })
  const signature = readStyleSignature(graph, session)
  const { sampleRate, vocabulary, styles, speeds } = await readKittenModel(await openPackFolder(directory), metadata)
  const styleOf = createStyleCache(model, styles)
  const phonemizer = await loadPhonemizer()
  return {
    async synthesize(voice, text, { speed } = { speed: 1 }) {
      const { tokens, words } = await speakKitten(phonemizer, text)
      const style = await styleOf(voice.settings.voice)
      const rows = style.length / styleSize
      const runs = cutRuns(tokens, vocabulary, tokensMax)
      const letters = Math.round([...text].length / Math.max(1, runs.length))
      const speech = await speakRuns(
        { runtime, session, signature, vocabulary },
        { sampleRate, style, rowOf: () => Math.min(letters, rows - 1), lead, trail, tailSamples, lagUnits },
        { runs, words, speed: speed * (speeds.get(voice.settings.voice) ?? 1) },
      )
      return { ...speech, speed }
    },
  }
}
