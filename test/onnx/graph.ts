/**
 * Writes small ONNX graphs (https://onnx.ai, onnx.proto3) for tests: every operator call returns the name of its output.
 * IR version 8 and opset 15 are what Piper's exporter writes.
 */
import { PbfReader, PbfWriter } from 'pbf'

/** TensorProto.DataType. */
export const types = { float32: 1, uint8: 2, int8: 3, int32: 6, int64: 7, float16: 10 } as const
export type Type = keyof typeof types
/** A name stands for any size. */
export type Dim = number | string
/** Whole numbers, text, lists of whole numbers, or floats as `{ float }`. */
type Attribute = number | string | readonly number[] | { readonly float: number }
type Attributes = Readonly<Record<string, Attribute>>

type Node = { type: string; inputs: readonly string[]; outputs: readonly string[]; attributes: Attributes }
type EmbeddedFields = { fields: { field: number; body: Uint8Array }[] }
type Constant = { name: string; type: Type; dims: readonly number[]; raw: Uint8Array }
type Value = { name: string; type: Type; dims: readonly Dim[] }

export type GraphBuilder = ReturnType<typeof createGraph>

/** `prefix`: of every name that is not given, so that another graph's do not clash with them. */
export function createGraph(prefix = '') {
  const nodes: (Node | EmbeddedFields)[] = []
  const constants: Constant[] = []
  const inputs: Value[] = []
  const outputs: Value[] = []
  let count = 0

  function constant(type: Type, dims: readonly number[], values: ArrayBufferView): string {
    const name = `${prefix}c${count++}`
    constants.push({ name, type, dims, raw: new Uint8Array(values.buffer, values.byteOffset, values.byteLength) })
    return name
  }

  function op(
    type: string,
    from: readonly string[],
    attributes: Attributes = {},
    output = `${prefix}t${count++}`,
  ): string {
    nodes.push({ type, inputs: from, outputs: [output], attributes })
    return output
  }

  return {
    op,
    input(name: string, type: Type, dims: readonly Dim[]): string {
      inputs.push({ name, type, dims })
      return name
    },
    /** Makes `value` an output under `name`. */
    output(name: string, value: string, dims: readonly Dim[], type: Type = 'float32'): void {
      op('Identity', [value], {}, name)
      outputs.push({ name, type, dims })
    },
    /** `dims`: `[]` for a scalar. */
    floats: (values: readonly number[] | Float32Array, dims: readonly number[] = [values.length]) =>
      constant('float32', dims, Float32Array.from(values)),
    ints: (values: readonly number[], dims: readonly number[] = [values.length]) =>
      constant('int64', dims, BigInt64Array.from(values, BigInt)),
    bytes: (values: Uint8Array | Int8Array, dims: readonly number[] = [values.length]) =>
      constant(values instanceof Int8Array ? 'int8' : 'uint8', dims, values),
    /** Calls an operator with several outputs. */
    split(type: string, from: readonly string[], outputCount: number): string[] {
      const made = Array.from({ length: outputCount }, () => `${prefix}t${count++}`)
      nodes.push({ type, inputs: from, outputs: made, attributes: {} })
      return made
    },
    /** Calls an operator whose results are outputs. */
    splitOutputs(
      type: string,
      from: readonly string[],
      attributes: Attributes,
      made: Readonly<Record<string, readonly Dim[]>>,
    ): void {
      nodes.push({ type, inputs: from, outputs: Object.keys(made), attributes })
      for (const [name, dims] of Object.entries(made)) outputs.push({ name, type: 'float32', dims })
    },
    /**
     * Puts the nodes and constants of another graph here: its inputs are values of the same names, already made; its
     * outputs can be used under theirs.
     */
    embed(model: Uint8Array): void {
      nodes.push({ fields: nodesAndConstants(model) })
    },
    cast: (value: string, to: Type) => op('Cast', [value], { to: types[to] }),

    /** The bytes of the `.onnx` file. */
    model(metadata: Readonly<Record<string, string | number>> = {}, opset = 15): Uint8Array {
      const pbf = new PbfWriter()
      pbf.writeVarintField(1, 8)
      pbf.writeStringField(2, 'sonant test')
      message(pbf, 7, (graph) => {
        for (const node of nodes)
          if ('fields' in node) for (const { field, body } of node.fields) graph.writeBytesField(field, body)
          else message(graph, 1, (inner) => writeNode(inner, node))
        graph.writeStringField(2, 'graph')
        for (const tensor of constants) message(graph, 5, (inner) => writeConstant(inner, tensor))
        for (const value of inputs) message(graph, 11, (inner) => writeValue(inner, value))
        for (const value of outputs) message(graph, 12, (inner) => writeValue(inner, value))
      })
      message(pbf, 8, (inner) => inner.writeVarintField(2, opset))
      for (const [key, value] of Object.entries(metadata))
        message(pbf, 14, (inner) => {
          inner.writeStringField(1, key)
          inner.writeStringField(2, String(value))
        })
      return pbf.finish().slice()
    },
  }
}

function nodesAndConstants(model: Uint8Array): EmbeddedFields['fields'] {
  const fields: EmbeddedFields['fields'] = []
  new PbfReader(model).readFields((tag, _, pbf) => {
    if (tag !== 7) return
    const end = pbf.readVarint() + pbf.pos
    pbf.readFields(
      (field, _, graph) => {
        if (field === 1 || field === 5) fields.push({ field, body: graph.readBytes() })
      },
      undefined,
      end,
    )
  }, undefined)
  return fields
}

function message(pbf: PbfWriter, field: number, write: (inner: PbfWriter) => void): void {
  pbf.writeMessage(field, (_, inner) => write(inner), undefined)
}

function writeNode(pbf: PbfWriter, { type, inputs, outputs, attributes }: Node): void {
  for (const name of inputs) pbf.writeStringField(1, name)
  for (const name of outputs) pbf.writeStringField(2, name)
  pbf.writeStringField(4, type)
  for (const [name, value] of Object.entries(attributes))
    message(pbf, 5, (inner) => {
      inner.writeStringField(1, name)
      inner.writeVarintField(20, writeAttribute(inner, value))
    })
}

/** Returns the AttributeType. */
function writeAttribute(pbf: PbfWriter, value: Attribute): number {
  if (typeof value === 'number') {
    pbf.writeVarintField(3, value)
    return 2
  }
  if (typeof value === 'string') {
    pbf.writeStringField(4, value)
    return 3
  }
  if ('float' in value) {
    pbf.writeFloatField(2, value.float)
    return 1
  }
  for (const item of value) pbf.writeVarintField(8, item)
  return 7
}

function writeConstant(pbf: PbfWriter, { name, type, dims, raw }: Constant): void {
  for (const size of dims) pbf.writeVarintField(1, size)
  pbf.writeVarintField(2, types[type])
  pbf.writeStringField(8, name)
  pbf.writeBytesField(9, raw)
}

function writeValue(pbf: PbfWriter, { name, type, dims }: Value): void {
  pbf.writeStringField(1, name)
  message(pbf, 2, (valueType) =>
    message(valueType, 1, (tensor) => {
      tensor.writeVarintField(1, types[type])
      message(tensor, 2, (shape) => {
        for (const size of dims)
          message(shape, 1, (dim) =>
            typeof size === 'number' ? dim.writeVarintField(1, size) : dim.writeStringField(2, size),
          )
      })
    }),
  )
}
