/** Encodes nodes and parameters as fields of a GraphProto (onnx.proto3). */
import { PbfWriter } from 'pbf'

/** The used parts of a graph's node. */
export type NewNode = {
  readonly operator: string
  readonly inputs: readonly string[]
  readonly output: string
  readonly integers?: Readonly<Record<string, number | readonly number[]>>
  /** Value of a Constant node. */
  readonly value?: NewConstant
}

export type NewConstant =
  | { readonly type: 'float32'; readonly dims: readonly number[]; readonly values: Float32Array }
  | { readonly type: 'int64'; readonly dims: readonly number[]; readonly values: BigInt64Array }

/** Bytes that are made when they are written, so that large ones are in memory only once. */
export type Made = { readonly sizeBytes: number; fill(into: Uint8Array): void }

const fields = { node: 1, initializer: 5, output: 12 } as const
/** AttributeProto.AttributeType. */
const attributeTypes = { int: 2, tensor: 4, ints: 7 } as const
/** TensorProto.DataType. */
const tensorTypes = { float32: 1, uint8: 2, int8: 3, int64: 7 } as const
const lengthDelimited = 2

/** Tag and length of a message. */
export function header(field: number, length: number): Uint8Array {
  const pbf = new PbfWriter()
  pbf.writeTag(field, lengthDelimited)
  pbf.writeVarint(length)
  return pbf.finish()
}

/** A ValueInfoProto without a type, which onnxruntime infers. */
export function encodeOutput(name: string): Uint8Array {
  const pbf = new PbfWriter()
  pbf.writeMessage(fields.output, (_, value) => value.writeStringField(1, name), undefined)
  return pbf.finish()
}

export function encodeNode({ operator, inputs, output, integers = {}, value }: NewNode): Uint8Array {
  const pbf = new PbfWriter()
  pbf.writeMessage(
    fields.node,
    (_, node) => {
      for (const input of inputs) node.writeStringField(1, input)
      node.writeStringField(2, output)
      node.writeStringField(4, operator)
      for (const [name, given] of Object.entries(integers)) writeIntegers(node, name, given)
      if (value)
        writeAttribute(node, 'value', attributeTypes.tensor, (attribute) =>
          attribute.writeMessage(5, (_, tensor) => writeTensor(tensor, value), undefined),
        )
    },
    undefined,
  )
  return pbf.finish()
}

export function encodeInitializer(name: string, value: NewConstant): Uint8Array {
  const pbf = new PbfWriter()
  pbf.writeMessage(
    fields.initializer,
    (_, tensor) => {
      writeTensor(tensor, value)
      tensor.writeStringField(8, name)
    },
    undefined,
  )
  return pbf.finish()
}

export type ByteInitializer = {
  readonly name: string
  readonly type: 'uint8' | 'int8' | 'float32'
  readonly dims: readonly number[]
  readonly values: Made
}

/** The pieces of a parameter whose bytes are made when they are written. */
export function encodeBytes({ name, type, dims, values }: ByteInitializer): (Uint8Array | Made)[] {
  const pbf = new PbfWriter()
  for (const size of dims) pbf.writeVarintField(1, size)
  pbf.writeVarintField(2, tensorTypes[type])
  pbf.writeStringField(8, name)
  const front = pbf.finish()
  const raw = header(9, values.sizeBytes)
  const length = front.length + raw.length + values.sizeBytes
  return [header(fields.initializer, length), front, raw, values]
}

function writeIntegers(node: PbfWriter, name: string, given: number | readonly number[]): void {
  if (typeof given === 'number')
    writeAttribute(node, name, attributeTypes.int, (attribute) => attribute.writeVarintField(3, given))
  else
    writeAttribute(node, name, attributeTypes.ints, (attribute) => {
      for (const number of given) attribute.writeVarintField(8, number)
    })
}

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
function writeTensor(tensor: PbfWriter, { type, dims, values }: NewConstant): void {
  for (const size of dims) tensor.writeVarintField(1, size)
  tensor.writeVarintField(2, tensorTypes[type])
  tensor.writeBytesField(9, new Uint8Array(values.buffer, values.byteOffset, values.byteLength))
}
