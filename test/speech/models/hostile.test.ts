/** Folders with the file names of every family and invalid contents: each reader refuses them, and none fails. */
import { afterAll, describe, expect, it } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { BadPack } from '../../../src/speech/models/pack'
import { readPack } from '../../../src/packs/read-pack'
import { createGraph, type Dim, type Type } from '../../onnx/graph'
import { toneGraph } from './tone'
import { cpuSeconds } from '../../cpu-seconds'

const home = mkdtempSync(join(tmpdir(), 'sonant-hostile-'))
afterAll(() => rmSync(home, { recursive: true }))

/** The file names by which each family is recognized. */
const layouts: readonly (readonly string[])[] = [
  ['voice.onnx', 'voice.onnx.json', 'MODEL_CARD'],
  ['model.onnx', 'tokens.txt', 'lexicon.txt', 'README.md', 'date.fst'],
  ['model.onnx', 'tokens.txt', 'voices.bin', 'LICENSE'],
  ['kokoro-v1.0.onnx', 'voices-v1.0.bin', 'config.json'],
  ['onnx/model.onnx', 'voices/af_heart.bin', 'voices/zf_xiaobei.bin', 'tokenizer.json', 'config.json', 'README.md'],
  ['kitten_tts_nano_v0_1.onnx', 'voices.npz', 'config.json'],
  ['tone_color_extract_model.onnx', 'tone_clone_model.onnx', 'configuration.json'],
]

const utf8 = (text: string) => new TextEncoder().encode(text)
const strange = [null, true, -1, 1e308, 0.5, '', 'x', [], [null], {}, { a: 1 }, { '0': [-1] }, { __proto__: 1 }, [[[]]]]
/** Every setting that a family reads, all with the same strange value. */
const settings = [
  ['audio', 'sample_rate', 'espeak', 'voice', 'num_speakers', 'speaker_id_map', 'phoneme_id_map', 'phoneme_type'],
  ['inference', 'hop_length', 'language', 'model', 'vocab', 'model_file', 'voices', 'type', 'data', 'sampling_rate'],
  ['filter_length', 'win_length', 'default_speaker_id', 'phoneme_map', 'quality', 'dataset', 'code', 'n_token', 'name'],
].flat()
const settled = (value: unknown) => Object.fromEntries(settings.map((name) => [name, value]))

const contents: Readonly<Record<string, Uint8Array>> = {
  nothing: new Uint8Array(0),
  zeros: new Uint8Array(4096),
  'random bytes': Uint8Array.from({ length: 4096 }, (_, i) => (i * i * 31 + i * 17) & 0xff),
  'a zip archive': Uint8Array.of(0x50, 0x4b, 3, 4, ...new Uint8Array(100)),
  'a web page': utf8('<!DOCTYPE html><html><body>404</body></html>'),
  'a long line': utf8('a'.repeat(1 << 20)),
  'many lines': utf8('x 1\n'.repeat(100_000)),
  'lines of nonsense': utf8('a\n b c d e\n\n\t\n1 2 3\nx -1\ny 99999999999999999999\nz NaN\n\u0000 5\n'),
  'broken text': Uint8Array.of(0xff, 0xfe, 0x00, 0xd8, 0x20, 0x31, 0x0a),
  'an empty object': utf8('{}'),
  'deep lists': utf8('{"a":'.repeat(50_000)),
  'a card without end': utf8(`---\nlicense: ${'x'.repeat(500_000)}\n`),
  ...Object.fromEntries(
    strange.flatMap((value) => [
      [`settings of ${JSON.stringify(value)}`, utf8(JSON.stringify(settled(value)))],
      [`settings in settings of ${JSON.stringify(value)}`, utf8(JSON.stringify(settled(settled(value))))],
    ]),
  ),
}

let folders = 0
function write(files: Readonly<Record<string, Uint8Array>>): string {
  const directory = join(home, String(folders++))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(directory, dirname(name)), { recursive: true })
    writeFileSync(join(directory, name), content)
  }
  return directory
}

/** The reason of the refusal, or undefined. Fails on any other error and on a timeout. */
async function reasonOf(directory: string, what: string): Promise<string | undefined> {
  let error: unknown
  const seconds = await cpuSeconds(async () => {
    error = await readPack(directory).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
  })
  expect([what, seconds < 3]).toEqual([what, true])
  if (error === undefined) return undefined
  if (!(error instanceof BadPack)) throw new Error(`${what}: ${String(error)}`, { cause: error })
  const { length } = error.message
  expect([what, length > 10, length < 600, error.message.includes('\n')]).toEqual([what, true, true, false])
  return error.message
}

/** Has the inputs of every family's graphs, so that readers go on to the output. */
function signedGraph(metadata: Readonly<Record<string, string>>, ...inputs: readonly Input[]): Uint8Array {
  const graph = createGraph()
  for (const [name, type, dims] of inputs) graph.input(name, type, dims)
  const [[name]] = inputs as [Input]
  graph.output('output', graph.op('Unsqueeze', [graph.cast(name, 'float32'), graph.ints([1])]), [1, 1, 'n'])
  return graph.model(metadata)
}

type Input = readonly [name: string, type: Type, dims: readonly Dim[]]
const ids = (name: string): Input => [name, 'int64', [1, 'n']]
const scale = (name: string): Input => [name, 'float32', [1]]
const signatures: readonly (readonly Input[])[] = [
  [ids('input'), ['input_lengths', 'int64', [1]], ['scales', 'float32', [3]]],
  [ids('x'), ['x_length', 'int64', [1]], scale('noise_scale'), scale('length_scale'), scale('noise_scale_w')],
  [ids('input_ids'), ['style', 'float32', [1, 256]], scale('speed')],
  [ids('tokens'), ['style', 'float32', [1, 256]], scale('speed')],
]
const metadataNames = [
  'sample_rate',
  'n_speakers',
  'language',
  'voice',
  'style_dim',
  'model_type',
  'comment',
  'version',
]

describe('a folder of invalid files', () => {
  const graph = toneGraph()
  for (const layout of layouts) {
    it(`is refused when it has the files ${layout.join(', ')}`, async () => {
      for (const [what, content] of Object.entries(contents)) {
        const files = Object.fromEntries(layout.map((name) => [name, content]))
        expect([what, await reasonOf(write(files), what)]).not.toEqual([what, undefined])
        const graphs = layout.filter((name) => name.endsWith('.onnx')).map((name) => [name, graph])
        const beside = write({ ...files, ...Object.fromEntries(graphs) })
        expect([what, await reasonOf(beside, what)]).not.toEqual([what, undefined])
      }
    })

    it(`does no harm with plausible graphs beside ${layout.slice(1).join(', ')}`, async () => {
      for (const [what, content] of Object.entries(contents))
        for (const [index, inputs] of signatures.entries()) {
          const value = ['', 'x', '-1', '1e999', 'piper', '9'.repeat(400)][folders % 6]!
          const signed = signedGraph(Object.fromEntries(metadataNames.map((name) => [name, value])), ...inputs)
          const files = layout.map((name) => [name, name.endsWith('.onnx') ? signed : content])
          await reasonOf(write(Object.fromEntries(files)), `${what}, signature ${index}, metadata ${value}`)
        }
    })
  }
})
