/** A family of models for family-independent tests: `X.onnx` gives a steady tone, `X.onnx.json` lists the voices. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ModelFiles, Loadable } from '../../../src/speech/voice'
import type { SpeechEngine } from '../../../src/speech/engine'
import type { PackReader } from '../../../src/speech/models/family'
import { BadPack } from '../../../src/speech/models/pack'
import { openGraph } from '../../../src/speech/onnx/graph'
import type { Runtime } from '../../../src/speech/onnx/runtime'
import { createGraph, type GraphBuilder } from '../../onnx/graph'

export const sampleRate = 16_000
const seconds = 3

export const readTonePack: PackReader = async (folder) => {
  const graph = folder.files.find((file) => file.endsWith('.onnx') && folder.files.includes(`${file}.json`))
  if (!graph) return undefined
  const config = await folder.readJson(`${graph}.json`)
  const { inputs, outputs } = await folder.readGraph(graph)
  if (inputs[0]?.name !== 'radians' || inputs[0].type !== 'float32') throw new BadPack(`${graph} has no input radians`)
  if (outputs.length !== 1) throw new BadPack(`${graph} has ${outputs.length} outputs, not one`)
  const { pitches } = config
  if (!Array.isArray(pitches)) throw new BadPack(`${graph}.json: pitches is not a list`)
  const voices = pitches.map((hz, i) => ({
    id: `tone-${i}`,
    displayName: `Tone ${i}`,
    description: null,
    language: 'en-US',
    gender: null,
    settings: { voice: 'tone', pitchHz: Number(hz) },
  }))
  return { family: 'vits', graph, sampleRate, voices, license: null }
}

export async function loadTone(
  { model }: Pick<Loadable, 'model'>,
  runtime: () => Promise<Runtime>,
): Promise<SpeechEngine> {
  const { directory, graph } = model as ModelFiles
  const opened = await runtime()
  const { session } = await openGraph(opened, join(directory, graph))
  return {
    async synthesize({ settings }) {
      const length = seconds * sampleRate
      const hz = settings.pitchHz!
      const radians = Float32Array.from({ length }, (_, i) => ((2 * Math.PI * hz * i) / sampleRate) % (2 * Math.PI))
      const { audio } = await session.run({ radians: opened.float32(radians, [length]) })
      return { samples: audio!.data as Float32Array, sampleRate }
    },
  }
}

/** Two harmonics, so that it has a pitch like a voice; `change` modifies the sound. */
export function toneGraph(change = (_: GraphBuilder, sound: string) => sound, opset = 15): Uint8Array {
  const graph = createGraph()
  const radians = graph.input('radians', 'float32', ['n'])
  const octave = graph.op('Sin', [graph.op('Mul', [radians, graph.floats([2])])])
  const sound = graph.op('Mul', [graph.op('Add', [graph.op('Sin', [radians]), octave]), graph.floats([0.2])])
  graph.output('audio', change(graph, sound), ['n'])
  return graph.model({}, opset)
}

export const toneConfig = JSON.stringify({ pitches: [210, 120] })

/** Writes the files of a pack; a good one by default. */
export function writePack(directory: string, files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const all = { 'tone.onnx': toneGraph(), 'tone.onnx.json': toneConfig, ...files }
  for (const [name, content] of Object.entries(all)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true })
    writeFileSync(join(directory, name), content)
  }
  return directory
}
