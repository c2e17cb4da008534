import { describe, expect, it } from 'bun:test'
import { readConverterPack } from '../../../src/cloning/convert/converter-pack'
import type { PackFolder } from '../../../src/speech/models/family'
import { BadPack } from '../../../src/speech/models/pack'
import type { GraphInfo } from '../../../src/speech/onnx/file'
import type { TensorInfo } from '../../../src/speech/onnx/runtime'
import { configuration } from '../../onnx/converter'

const tensor = (name: string, type: string, ...dims: number[]): TensorInfo => ({ name, type, dims })
const graph = (...inputs: TensorInfo[]): GraphInfo => ({
  inputs,
  outputs: [tensor('output', 'float32', 1, 1, -1)],
  irVersion: 8,
  opset: 17,
  metadata: {},
  nodeCount: 0,
  operators: new Map(),
  outputsByOperator: new Map(),
  inputsByOperator: new Map(),
  noise: [],
  parameterBytes: 0,
  externalFiles: [],
})

const extractor = 'tone_color_extract_model.onnx'
const converter = 'tone_clone_model.onnx'
/** As exported by PyTorch: variable sizes have names. */
const inputs = [
  tensor('audio', 'float32', 1, 513, -1),
  tensor('audio_length', 'int64', 1),
  tensor('src_tone', 'float32', 1, 256, 1),
  tensor('dest_tone', 'float32', 1, 256, 1),
  tensor('tau', 'float32', -1),
]

type Change = { files?: string[]; configuration?: unknown; graphs?: Record<string, GraphInfo> }

function folder(change: Change = {}): PackFolder {
  const graphs: Record<string, GraphInfo> = {
    [extractor]: graph(tensor('input', 'float32', -1, -1, 513)),
    [converter]: graph(...inputs),
    ...change.graphs,
  }
  return {
    directory: '/voices/openvoice',
    files: change.files ?? ['configuration.json', converter, extractor],
    sizeBytesOf: () => 1,
    read: async () => new Uint8Array(),
    readJson: async () => (change.configuration ?? configuration) as Record<string, unknown>,
    readGraph: async (file) => graphs[file]!,
  }
}

async function refusalOf(change: Change): Promise<string> {
  const error = await readConverterPack(folder(change)).then(
    () => new Error('it was taken'),
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(BadPack)
  return (error as BadPack).message
}

describe('the reader of converter packs', () => {
  it('accepts OpenVoice’s files', async () => {
    expect(await readConverterPack(folder())).toEqual({
      family: 'converter',
      graph: converter,
      sampleRate: 22_050,
      voices: [],
      license: null,
      // The SHA-256 of no bytes: the extractor's file is empty here.
      fingerprint: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    })
  })

  it('leaves all other folders to other readers', async () => {
    expect(await readConverterPack(folder({ files: ['configuration.json', 'model.onnx'] }))).toBeUndefined()
    expect(await readConverterPack(folder({ files: [] }))).toBeUndefined()
  })

  it('names a missing file', async () => {
    expect(await refusalOf({ files: [converter, 'configuration.json'] })).toContain(
      `${extractor} of the tone converter`,
    )
    expect(await refusalOf({ files: [extractor] })).toContain(`${converter} and configuration.json`)
  })

  it('names an input that does not fit', async () => {
    const withInput = (at: number, other: TensorInfo) => ({
      graphs: { [converter]: graph(...inputs.map((input, i) => (i === at ? other : input))) },
    })
    expect(await refusalOf(withInput(0, tensor('audio', 'float16', 1, 513, -1)))).toBe(
      `${converter} has no input audio float32 [1, 513, ?], but audio float16 [1, 513, ?]: it is not the tone converter's`,
    )
    expect(await refusalOf(withInput(0, tensor('audio', 'float32', 1, 257, -1)))).toContain('[1, 257, ?]')
    expect(await refusalOf(withInput(1, tensor('audio_length', 'int32', 1)))).toContain('audio_length int32')
    expect(await refusalOf(withInput(2, tensor('sid', 'int64', 1)))).toContain('src_tone')
    expect(await refusalOf(withInput(3, tensor('dest_tone', 'float32', 1, 192, 1)))).toContain('192')
    expect(await refusalOf({ graphs: { [converter]: graph(...inputs, tensor('speed', 'float32', 1)) } })).toContain(
      'an input that the tone converter does not have: speed float32 [1]',
    )
    expect(await refusalOf({ graphs: { [extractor]: graph(tensor('input', 'float32', 1, -1, 80)) } })).toContain(
      extractor,
    )
    const mute = { ...graph(...inputs), outputs: [] }
    expect(await refusalOf({ graphs: { [converter]: mute } })).toBe(`${converter} has no output of type float32`)
  })

  it('names the fault of the configuration', async () => {
    const withData = (change: Record<string, unknown>) => ({
      configuration: { data: { ...configuration.data, ...change } },
    })
    expect(await refusalOf({ configuration: {} })).toContain('data.sampling_rate')
    expect(await refusalOf({ configuration: { data: null } })).toContain('data.sampling_rate')
    expect(await refusalOf(withData({ sampling_rate: 44_100 }))).toContain('44100, not 22050')
    expect(await refusalOf(withData({ filter_length: 1000 }))).toContain('1000, not a power of two')
    expect(await refusalOf(withData({ filter_length: 1e9 }))).toContain('data.filter_length')
    expect(await refusalOf(withData({ hop_length: 0 }))).toContain('data.hop_length')
    expect(await refusalOf(withData({ hop_length: 2048 }))).toContain('data.hop_length is 2048')
    expect(await refusalOf(withData({ win_length: 512 }))).toContain('data.win_length')
    expect(await refusalOf(withData({ filter_length: 2048, win_length: 2048 }))).toContain('[1, ?, 1025]')
  })
})
