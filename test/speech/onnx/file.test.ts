/** Reading the header of a graph's file, valid or hostile. */
import { describe, expect, it } from 'bun:test'
import { mkdtempSync, openSync, closeSync, writeSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readGraphFile } from '../../../src/speech/onnx/file'
import { openRuntime } from '../../../src/speech/onnx/runtime'
import { createGraph } from '../../onnx/graph'
import { addToGraph, attribute, bytes, node, output, tensor, varint, type RawTensor } from '../../onnx/raw'
import { describeWith } from '../../tools'
import { cpuSeconds } from '../../cpu-seconds'

function smallGraph() {
  const graph = createGraph()
  const x = graph.input('x', 'float32', [1, 'n'])
  const w = graph.floats([1, 2, 3, 4])
  graph.output('y', graph.op('Mul', [graph.op('Ceil', [x], {}, 'ceiled'), graph.op('ReduceSum', [w])]), [1, 'n'])
  return graph
}
const small = smallGraph().model({ sample_rate: 22_050, language: 'English' })
const refused = (model: Uint8Array) => expect(() => readGraphFile(model))
const withParameter = (parameter: RawTensor) => addToGraph(small, tensor(parameter))

describe('readGraphFile', () => {
  it('reads the signature, the operators and the metadata of a graph', () => {
    const info = readGraphFile(small)
    expect(info).toMatchObject({
      irVersion: 8,
      opset: 15,
      nodeCount: 4,
      parameterBytes: 16,
      externalFiles: [],
      noise: [],
      inputs: [{ name: 'x', type: 'float32', dims: [1, -1] }],
      outputs: [{ name: 'y', type: 'float32', dims: [1, -1] }],
      metadata: { sample_rate: '22050', language: 'English' },
    })
    expect(Object.fromEntries(info.operators)).toEqual({ Ceil: 1, ReduceSum: 1, Mul: 1, Identity: 1 })
    expect(info.outputsByOperator.get('Ceil')).toEqual(['ceiled'])
  })

  it('agrees with onnxruntime about inputs and outputs of every type', async () => {
    const graph = createGraph()
    for (const type of ['float32', 'int64', 'int32', 'float16'] as const) {
      const value = graph.input(`in ${type}`, type, [type.length, 'any', 3])
      graph.output(`out ${type}`, value, [type.length, 'any', 3], type)
    }
    const model = graph.model()
    const runtime = await openRuntime({ directory: tmpdir(), provider: 'cpu', threads: 1 })
    const session = await runtime.openSession(model)
    const { inputs, outputs } = readGraphFile(model)
    expect({ inputs, outputs }).toEqual({ inputs: [...session.inputs], outputs: [...session.outputs] })
    await session.release()
  })

  it('finds noise in the graph and in nested bodies', () => {
    const body = (...nodes: Uint8Array[]) => attribute.body('then_branch', ...nodes, output('b'))
    const model = addToGraph(
      small,
      node('RandomNormalLike', ['x'], 'r', attribute.int('dtype', 1), attribute.float('scale', 0.5)),
      node('If', ['c'], 'i', body(node('Loop', [], 'l', body(node('RandomUniform', [], 'u'))))),
      node('Dropout', ['x', '', 'training'], 'd'),
      node('Dropout', ['x'], 'still'),
    )
    const { noise, nodeCount, operators, outputsByOperator } = readGraphFile(model)
    expect(noise.map(({ operator, start }) => [operator, start !== null])).toEqual([
      ['RandomNormalLike', true],
      ['RandomUniform', false],
      ['Dropout', true],
    ])
    expect(noise[0]).toMatchObject({ inputs: ['x'], output: 'r', attributes: { dtype: 1, scale: 0.5 } })
    expect(nodeCount).toBe(10)
    expect(operators.get('RandomUniform')).toBe(1)
    expect(outputsByOperator.has('RandomUniform')).toBe(false)
  })

  it('excludes parameters from the inputs, where old files list them', () => {
    const model = addToGraph(
      small,
      tensor({ name: 'w', dims: [1], raw: new Uint8Array(4) }),
      bytes(11, bytes(1, 'w'), bytes(2, bytes(1, varint(1, 1)))),
    )
    expect(readGraphFile(model).inputs.map(({ name }) => name)).toEqual(['x'])
  })

  it('counts external parameters and the needed bytes of each file', () => {
    const parameter = (name: string, offset: number) =>
      tensor({ name, dims: [2, 8], external: { location: 'x.onnx_data', offset, length: 64 } })
    const info = readGraphFile(addToGraph(small, parameter('a', 4096), parameter('b', 0)))
    expect(info.parameterBytes).toBe(16 + 128)
    expect(info.externalFiles).toEqual([{ location: 'x.onnx_data', sizeBytesMin: 4160 }])
  })

  it('refuses every truncated file and survives every changed byte', () => {
    for (let length = 0; length < small.length; length++) {
      let outcome = 'read'
      try {
        readGraphFile(small.subarray(0, length))
      } catch (error) {
        expect([length, (error as Error).name]).toEqual([length, 'BadGraphFile'])
        outcome = 'refused'
      }
      // A cut between two entries of the final metadata leaves a valid file.
      if (outcome === 'read') expect(length).toBeGreaterThan(small.length - 60)
    }
    let refusals = 0
    for (let at = 0; at < small.length; at++)
      for (const flip of [0x01, 0x08, 0x80, 0xff]) {
        const damaged = small.slice()
        damaged[at]! ^= flip
        try {
          readGraphFile(damaged)
        } catch (error) {
          expect([at, flip, (error as Error).name]).toEqual([at, flip, 'BadGraphFile'])
          refusals++
        }
      }
    expect(refusals).toBeGreaterThan(small.length)
  })

  it('survives random bytes', () => {
    let seed = 1
    for (let round = 0; round < 2_000; round++) {
      const noise = Uint8Array.from({ length: round % 300 }, () => (seed = (seed * 48_271) % 2_147_483_647) & 0xff)
      refused(noise).toThrow(expect.objectContaining({ name: 'BadGraphFile' }))
    }
  })

  it('names the type of other files', () => {
    const text = (content: string) => new TextEncoder().encode(content)
    refused(new Uint8Array(0)).toThrow('is empty')
    refused(Uint8Array.of(0x50, 0x4b, 3, 4, 20, 0, 0, 0)).toThrow('a zip archive')
    refused(Bun.gzipSync(new Uint8Array(100))).toThrow('a gzip archive')
    refused(text('<!DOCTYPE html><html>')).toThrow('a web page')
    refused(text('version https://git-lfs.github.com/spec/v1\noid sha256:00\n')).toThrow('Git LFS')
  })

  it('refuses absurd shapes, and parameters whose size differs from their shape', () => {
    const refusals: [RawTensor, string][] = [
      [{ dims: [2 ** 40, 2 ** 40] }, 'larger than 64 GiB'],
      [{ dims: [2 ** 52, 2 ** 52, 0] }, 'larger than 64 GiB'],
      [{ dims: [-1] }, 'negative size'],
      [{ dims: Array<number>(65).fill(1) }, 'dimensions'],
      [{ dims: [1 << 20] }, 'without its values'],
      [{ dims: [4], raw: new Uint8Array(15) }, 'of 15 bytes, but its shape has 16'],
      [{ dims: [4], type: 99, raw: new Uint8Array(16) }, 'unknown type'],
    ]
    for (const [parameter, message] of refusals) refused(withParameter(parameter)).toThrow(message)
    expect(readGraphFile(withParameter({ dims: [3], type: 22, raw: new Uint8Array(2) })).parameterBytes).toBe(18)
  })

  it('refuses external files outside of the graph’s folder', () => {
    const locations = [
      '../../etc/passwd',
      '/etc/passwd',
      'a/../../b',
      '..',
      '',
      'C:\\x',
      'a\\b',
      'a\0b',
      '//host/x',
      '*/_ORT_MEM_ADDR_/*',
      'x'.repeat(300),
    ]
    for (const location of locations)
      refused(withParameter({ dims: [1], external: { location } })).toThrow('outside of its folder')
    for (const offset of ['-1', '1e9', '9'.repeat(30)])
      refused(withParameter({ dims: [1], external: { location: 'x', offset } })).toThrow('not a number')
    refused(withParameter({ dims: [1], external: { location: 'x', length: 5 } })).toThrow('shape has 4')
  })

  it('checks parameters in attributes and bodies as well', () => {
    const bad: RawTensor = { dims: [1], external: { location: '../x' } }
    const constant = node('Constant', [], 'k', attribute.tensor('value', bad))
    refused(addToGraph(small, constant)).toThrow('outside')
    refused(addToGraph(small, node('If', ['c'], 'i', attribute.body('else_branch', constant)))).toThrow('outside')
    const split = bytes(5, bytes(1, 'value'), tensor({ dims: [1], raw: new Uint8Array(4) }), tensor({}))
    refused(addToGraph(small, node('Constant', [], 'k', split))).toThrow('two values')
  })

  it('refuses deeply nested bodies and too many nodes with little work', async () => {
    let nested = node('Identity', ['x'], 'z')
    for (let depth = 0; depth < 2_000; depth++) nested = node('If', ['c'], 'i', attribute.body('then_branch', nested))
    refused(addToGraph(small, nested)).toThrow('nested')
    const many = Buffer.concat(Array<Uint8Array>(200_001).fill(node('Identity', ['x'], 'z')))
    const file = addToGraph(small, many)
    expect(await cpuSeconds(() => refused(file).toThrow('more than 200000 nodes'))).toBeLessThan(3)
  })

  it('reads a file of 300 MB with little work without loading it', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'sonant-graph-'))
    try {
      const path = join(directory, 'large.onnx')
      const megabytes = 300
      const head = [varint(1, megabytes << 18), varint(2, 1), bytes(8, 'big')]
      const rawLength = megabytes << 20
      const rawTag = varintBytes((9 << 3) | 2, rawLength)
      const tensorLength = head.reduce((sum, part) => sum + part.length, 0) + rawTag.length + rawLength
      const tensorTag = varintBytes((5 << 3) | 2, tensorLength)
      const graphTag = varintBytes((7 << 3) | 2, tensorTag.length + tensorLength)
      const file = openSync(path, 'w')
      const start = Buffer.concat([small, graphTag, tensorTag, ...head, rawTag])
      writeSync(file, start)
      writeSync(file, Uint8Array.of(0), 0, 1, start.length + rawLength - 1)
      closeSync(file)
      const rss = process.memoryUsage.rss()
      const read = () => expect(readGraphFile(path).parameterBytes).toBe(16 + rawLength)
      expect(await cpuSeconds(read)).toBeLessThan(0.2)
      expect(process.memoryUsage.rss() - rss).toBeLessThan(30e6)
    } finally {
      rmSync(directory, { recursive: true })
    }
  })
})

function varintBytes(...values: number[]): Uint8Array {
  return Buffer.concat(values.map((value) => varint(1, value).subarray(1)))
}

const models = join(import.meta.dir, '../../../../shared/models')

describeWith([models], 'readGraphFile on published graphs', () => {
  it('agrees with onnxruntime on graphs with complete shapes', async () => {
    const runtime = await openRuntime({ directory: tmpdir(), provider: 'cpu', threads: 1 })
    for (const file of [
      'hifigan-v2-ljspeech/hifigan_v2_lj.onnx',
      'silero-vad/silero_vad.onnx',
      'piper-samples/zero-shot-test.onnx',
    ]) {
      const path = join(models, file)
      const session = await runtime.openSession(path)
      const { inputs, outputs, opset } = readGraphFile(path)
      expect({ file, inputs, outputs }).toEqual({ file, inputs: [...session.inputs], outputs: [...session.outputs] })
      expect(opset).toBeWithin(15, 18)
      await session.release()
    }
  })

  it('finds the durations of a real Piper graph', () => {
    const { outputsByOperator } = readGraphFile(join(models, 'piper-samples/zero-shot-test.onnx'))
    expect(outputsByOperator.get('Ceil')).toEqual(['/Ceil_output_0'])
  })
})
