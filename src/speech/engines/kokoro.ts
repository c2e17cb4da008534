/**
 * Kokoro-82M, as in its own pipeline (kokoro/pipeline.py and kokoro/model.py of https://github.com/hexgrad/kokoro):
 * runs of up to 510 tokens between two zeros, the style row by the number of tokens, no silence between runs. The
 * pauses at marks come from the model.
 */
import { join } from 'node:path'
import type { ModelFiles } from '../voice'
import type { SpeechEngine } from '../engine'
import { openPackFolder } from '../models/folder'
import { readKokoroModel } from '../models/kokoro'
import { readStyleSignature } from '../models/style-graph'
import { styleSize } from '../models/styles'
import { type DurationsPlace, openGraph } from '../onnx/graph'
import type { Runtime } from '../onnx/runtime'
import { loadPhonemizer } from '../phonemes/espeak'
import {
  type Accent,
  type EnglishReader,
  hasEnglishReading,
  openEnglishReader,
  type OpenEnglishReader,
} from '../phonemes/english-reading'
import { type KokoroReaders, readsMisaki, speakKokoro } from '../phonemes/kokoro'
import { cutRuns } from '../phonemes/runs'
import { createStyleCache } from './style-cache'
import { speakRuns } from './style-speech'

const edge = [0]
const tokensMax = 510
/** Half a unit too many or too few on average; `join_timestamps` of its pipeline takes 3, and is 45 ms early. */
const lagUnits = 1
/** Exports without an output for the durations round them in their only `Round` node. */
const durationsPlace: DurationsPlace = { usualOutputs: 1, operator: 'Round', side: 'input' }

/**
 * `openReader`: misaki's English; null in a build without its data. Throws `BadPack` when the files of the folder
 * have changed.
 */
export async function loadKokoro(
  model: ModelFiles,
  runtime: Runtime,
  openReader: OpenEnglishReader | null = hasEnglishReading() ? openEnglishReader : null,
): Promise<SpeechEngine> {
  const { directory, graph, convolutions } = model
  const { session, metadata, durations } = await openGraph(runtime, join(directory, graph), {
    durations: durationsPlace,
    convolutions,
  })
  const signature = readStyleSignature(graph, session)
  const { sampleRate, vocabulary, styles } = await readKokoroModel(await openPackFolder(directory), metadata)
  const styleOf = createStyleCache(model, styles)
  const readers: KokoroReaders = {
    phonemizer: await loadPhonemizer(),
    english: openReader && readsMisaki(vocabulary) ? openOnce((accent) => openReader(runtime, accent)) : undefined,
  }
  // An integer speed input can only be 1; the pipeline stretches the rest.
  const anySpeed = signature.speed.type === 'float32'
  return {
    async synthesize(voice, text, { speed } = { speed: 1 }) {
      const { tokens, words } = await speakKokoro(readers, text, voice.settings.voice, vocabulary)
      const style = await styleOf(voice.settings.voice)
      const graphSpeed = anySpeed ? speed : 1
      return speakRuns(
        { runtime, session, signature, vocabulary, exactDurations: durations },
        {
          sampleRate,
          style,
          // v0.19 has a row for zero tokens before those for 1 to 510. kokoro.js and sherpa-onnx always use the row
          // after.
          rowOf: (run) => (style.length / styleSize > tokensMax ? run.length : run.length - 1),
          lead: edge,
          trail: edge,
          tailSamples: 0,
          lagUnits,
        },
        { runs: cutRuns(tokens, vocabulary, tokensMax), words, speed: graphSpeed },
      )
    },
  }
}

/** Opens the reader of an accent at its first text. */
function openOnce(open: (accent: Accent) => Promise<EnglishReader>): (accent: Accent) => Promise<EnglishReader> {
  const opened = new Map<Accent, Promise<EnglishReader>>()
  return (accent) => {
    const reader = opened.get(accent) ?? open(accent)
    opened.set(accent, reader)
    return reader
  }
}
