/**
 * VITS models with tokens and a lexicon, or with characters as tokens (`models/vits.ts`). One run of the graph per
 * sentence; the graph applies the whole speed.
 */
import { join } from 'node:path'
import { concatenate, type Pcm } from '../../audio/pcm'
import { NothingToSay, type SpeechEngine } from '../engine'
import type { ModelFiles } from '../voice'
import { openPackFolder } from '../models/folder'
import { readVitsModel, type VitsModel } from '../models/vits'
import { openGraph } from '../onnx/graph'
import { samplesOf } from '../onnx/outputs'
import type { Feeds, Runtime } from '../onnx/runtime'
import { toVitsRuns, type VitsRun } from '../phonemes/vits'

/** The defaults of sherpa-onnx and of VITS itself (https://github.com/jaywalnut310/vits, inference.ipynb). */
const noiseScale = 0.667
const noiseWidth = 0.8

/** Between runs at speed 1, after the mark that ends the first. */
const sentencePauseSeconds = 0.25
const clausePauseSeconds = 0.1

/** Throws the errors of `openGraph`, `BadPack`, and file system errors. */
export async function loadVits(files: ModelFiles, runtime: Runtime): Promise<SpeechEngine> {
  const { session, metadata } = await openGraph(runtime, join(files.directory, files.graph), {
    convolutions: files.convolutions,
  })
  const folder = await openPackFolder(files.directory)
  const model = await readVitsModel({ metadata, inputs: session.inputs }, folder.read)
  const { sampleRate } = model
  return {
    async synthesize({ settings }, text, { speed } = { speed: 1 }) {
      const runs = toVitsRuns(text, model.frontend)
      if (runs.length === 0) throw new NothingToSay()
      const speaker = settings.speaker ?? model.speaker
      const pauseFrames = (end: string) => Math.round((pauseSeconds(end) / speed) * sampleRate)
      const pieces: Pcm[] = []
      for (const [i, run] of runs.entries()) {
        if (i > 0) pieces.push({ samples: new Float32Array(pauseFrames(runs[i - 1]!.end)), sampleRate })
        const outputs = await session.run(feedsOf(runtime, model, run, { speaker, speed }), [session.outputs[0]!.name])
        pieces.push({ samples: samplesOf(outputs[session.outputs[0]!.name]!), sampleRate })
      }
      return { ...concatenate(pieces), speed }
    },
  }
}

function pauseSeconds(end: string): number {
  return /^[,，、:：;；"'“”‘’-]$/.test(end) ? clausePauseSeconds : sentencePauseSeconds
}

function feedsOf(
  runtime: Runtime,
  { inputs }: VitsModel,
  { ids, tones }: VitsRun,
  { speaker, speed }: { speaker: number; speed: number },
): Feeds {
  const whole = (values: readonly number[], ...dims: number[]) => runtime.int64(values, dims)
  const scale = (...values: number[]) => runtime.float32(Float32Array.from(values), [values.length])
  const { scales } = inputs
  return {
    [inputs.ids]: whole(ids, 1, ids.length),
    [inputs.lengths]: whole([ids.length], 1),
    ...(inputs.tones && tones && { [inputs.tones]: whole(tones, 1, tones.length) }),
    ...(inputs.speaker && { [inputs.speaker]: whole([speaker], 1) }),
    ...(typeof scales === 'string'
      ? { [scales]: scale(noiseScale, 1 / speed, noiseWidth) }
      : {
          [scales.noise]: scale(noiseScale),
          [scales.length]: scale(1 / speed),
          [scales.noiseWidth]: scale(noiseWidth),
        }),
  }
}
