/**
 * Writes what `createGraph` does not: bodies, nodes of any kind, parameters that lie. Protobuf merges messages, so that
 * a model with more `graph` fields behind it is a model with more in its graph.
 */
import { PbfWriter } from 'pbf'

export function varint(field: number, value: number): Uint8Array {
  const pbf = new PbfWriter()
  pbf.writeVarintField(field, value)
  return pbf.finish().slice()
}

/** Text, bytes, or the fields of a message. */
export function bytes(field: number, ...parts: readonly (string | Uint8Array)[]): Uint8Array {
  const pbf = new PbfWriter()
  const content = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))
  pbf.writeBytesField(field, content)
  return pbf.finish().slice()
}

export function float(field: number, value: number): Uint8Array {
  const pbf = new PbfWriter()
  pbf.writeFloatField(field, value)
  return pbf.finish().slice()
}

const graphField = 7

/** `fields` are of a GraphProto. */
export function addToGraph(model: Uint8Array, ...fields: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat([model, bytes(graphField, ...fields)]))
}

export type RawTensor = {
  readonly name?: string
  readonly type?: number
  readonly dims?: readonly number[]
  readonly raw?: Uint8Array
  readonly external?: Readonly<Record<string, string | number>>
}

/** A TensorProto in a field: 5 in a graph, 5 in an attribute. */
export function tensor({ name = 'w', type = 1, dims = [], raw, external }: RawTensor): Uint8Array {
  const entries = Object.entries(external ?? {})
  return bytes(
    5,
    ...dims.map((size) => varint(1, size)),
    varint(2, type),
    bytes(8, name),
    ...(raw ? [bytes(9, raw)] : []),
    ...entries.map(([key, value]) => bytes(13, bytes(1, key), bytes(2, String(value)))),
    ...(external ? [varint(14, 1)] : []),
  )
}

/** A NodeProto in a field of a GraphProto; `attributes` are whole fields. */
export function node(
  operator: string,
  inputs: readonly string[],
  output: string,
  ...attributes: readonly Uint8Array[]
): Uint8Array {
  return bytes(1, ...inputs.map((name) => bytes(1, name)), bytes(2, output), bytes(4, operator), ...attributes)
}

/** Attributes of a node. */
export const attribute = {
  int: (name: string, value: number) => bytes(5, bytes(1, name), varint(3, value), varint(20, 2)),
  float: (name: string, value: number) => bytes(5, bytes(1, name), float(2, value), varint(20, 1)),
  ints: (name: string, values: readonly number[]) =>
    bytes(5, bytes(1, name), ...values.map((value) => varint(8, value)), varint(20, 7)),
  tensor: (name: string, value: RawTensor) => bytes(5, bytes(1, name), tensor(value), varint(20, 4)),
  body: (name: string, ...fields: readonly Uint8Array[]) =>
    bytes(5, bytes(1, name), bytes(6, bytes(2, 'body'), ...fields), varint(20, 5)),
}

/** A float32 output of a GraphProto, with as many dimensions as `dims`. */
export function output(name: string, ...dims: readonly string[]): Uint8Array {
  const shape = dims.map((size) => bytes(1, bytes(2, size)))
  return bytes(12, bytes(1, name), bytes(2, bytes(1, varint(1, 1), bytes(2, ...shape))))
}
