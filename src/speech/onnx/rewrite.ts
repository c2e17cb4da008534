/**
 * Rewrites a graph in memory with few changes: exposes inner values as outputs, and makes noise repeatable. All other
 * bytes stay the same.
 */
import { PbfWriter } from 'pbf'
import { assert } from '../../errors'
import type { GraphInfo } from './file'
import { isRepeatable, noiseReplacements, type NewConstant, type NewNode } from './noise'
import { walk, type Bytes, type Span } from './wire'

export type Changes = {
  /** Values of the main graph to add as outputs. */
  readonly expose: readonly string[]
  /** Makes all noise repeatable; requires `isRepeatable`. */
  readonly repeatNoise: boolean
}

type Piece = Span | Uint8Array

/** Field numbers of onnx.proto3. */
const modelGraph = 7
const graphNode = 1
const graphOutput = 12
const lengthDelimited = 2

/** `bytes`: the file behind `info`. */
export function rewriteGraph(bytes: Bytes, info: GraphInfo, { expose, repeatNoise }: Changes): Uint8Array<ArrayBuffer> {
  assert(!repeatNoise || isRepeatable(info), 'the noise of the graph can be made repeatable')
  const replacements = new Map<number, Uint8Array>()
  if (repeatNoise)
    for (const [i, nodes] of noiseReplacements(info).entries())
      replacements.set(info.noise[i]!.start!, Buffer.concat(nodes.map(encodeNode)))
  const pieces: Piece[] = []
  let copied = 0
  walk(bytes, (field) => {
    if (field.number !== modelGraph) return
    const inner: Piece[] = []
    const { start } = field
    let from = -1
    const span = field.message((node) => {
      // The first field begins with the graph.
      if (from < 0) from = node.start
      const replacement = node.number === graphNode && replacements.get(node.start)
      if (!replacement) return
      const before = { start: from, end: node.start }
      from = node.message(() => {}).end
      inner.push(before, replacement)
    })
    if (inner.length === 0) return
    inner.push({ start: from, end: span.end })
    pieces.push({ start: copied, end: start }, header(modelGraph, sizeOf(inner)), ...inner)
    copied = span.end
  })
  pieces.push({ start: copied, end: bytes.length })
  if (expose.length > 0) {
    // Protobuf merges messages: a second GraphProto extends the first.
    const outputs = Buffer.concat(expose.map(encodeOutput))
    pieces.push(header(modelGraph, outputs.length), outputs)
  }
  return join(bytes, pieces)
}

function sizeOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, piece) => sum + ('start' in piece ? piece.end - piece.start : piece.length), 0)
}

/** Reads unchanged parts directly to their destination, so that the file is in memory only once. */
function join(bytes: Bytes, pieces: readonly Piece[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(sizeOf(pieces))
  let at = 0
  for (const piece of pieces) {
    const into = joined.subarray(at, at + sizeOf([piece]))
    if ('start' in piece) bytes.read(piece.start, into)
    else into.set(piece)
    at += into.length
  }
  return joined
}

/** Tag and length of a message. */
function header(field: number, length: number): Uint8Array {
  const pbf = new PbfWriter()
  pbf.writeTag(field, lengthDelimited)
  pbf.writeVarint(length)
  return pbf.finish()
}

/** A ValueInfoProto without a type, which onnxruntime infers. */
function encodeOutput(name: string): Uint8Array {
  const pbf = new PbfWriter()
  pbf.writeMessage(graphOutput, (_, value) => value.writeStringField(1, name), undefined)
  return pbf.finish()
}

/** A NodeProto as a field of a GraphProto. */
function encodeNode({ operator, inputs, output, integers = {}, value }: NewNode): Uint8Array {
  const pbf = new PbfWriter()
  pbf.writeMessage(
    graphNode,
    (_, node) => {
      for (const input of inputs) node.writeStringField(1, input)
      node.writeStringField(2, output)
      node.writeStringField(4, operator)
      for (const [name, number] of Object.entries(integers))
        writeAttribute(node, name, attributeTypes.int, (attribute) => attribute.writeVarintField(3, number))
      if (value) writeAttribute(node, 'value', attributeTypes.tensor, (attribute) => writeTensor(attribute, value))
    },
    undefined,
  )
  return pbf.finish()
}

/** AttributeProto.AttributeType. */
const attributeTypes = { int: 2, tensor: 4 } as const
/** TensorProto.DataType. */
const tensorTypes = { float32: 1, int64: 7 } as const

function writeAttribute(node: PbfWriter, name: string, type: number, write: (attribute: PbfWriter) => void): void {
  node.writeMessage(
    5,
    (_, attribute) => {
      attribute.writeStringField(1, name)
      write(attribute)
      attribute.writeVarintField(20, type)
    },
    undefined,
  )
}

/** Writes a TensorProto; raw data are little-endian, as all supported machines are. */
function writeTensor(attribute: PbfWriter, { type, dims, values }: NewConstant): void {
  attribute.writeMessage(
    5,
    (_, tensor) => {
      for (const size of dims) tensor.writeVarintField(1, size)
      tensor.writeVarintField(2, tensorTypes[type])
      tensor.writeBytesField(9, new Uint8Array(values.buffer, values.byteOffset, values.byteLength))
    },
    undefined,
  )
}
