/**
 * What a graph's file says about itself, read without onnxruntime, which is a native library and better not given what
 * is damaged or absurd. Format: onnx.proto3 of https://github.com/onnx/onnx (field numbers below are its own).
 */
import type { TensorInfo } from './runtime'
import { readTensor, sizeBytesOf, typeName, type ExternalFile } from './tensor'
import { BadGraphFile, bytesOf, openFileBytes, readEntry, walk, type Bytes, type Field } from './wire'

export type GraphInfo = {
  readonly irVersion: number
  /** Of the default domain. */
  readonly opset: number
  /** Without parameters. */
  readonly inputs: readonly TensorInfo[]
  readonly outputs: readonly TensorInfo[]
  readonly metadata: Readonly<Record<string, string>>
  /** In bodies of loops and branches too. */
  readonly nodeCount: number
  /** How many there are of each operator, in bodies too. Those of other domains have it in front: `com.microsoft.Gelu`. */
  readonly operators: ReadonlyMap<string, number>
  /** Operator to the first outputs of its nodes; of the main graph only. */
  readonly outputsByOperator: ReadonlyMap<string, readonly string[]>
  /** Nodes whose output is random. */
  readonly noise: readonly NoiseNode[]
  /** Of all parameters, in the file and outside of it. */
  readonly parameterBytes: number
  /** Files with parameters. */
  readonly externalFiles: readonly ExternalFile[]
}

export type NoiseNode = {
  readonly operator: string
  readonly inputs: readonly string[]
  readonly output: string
  readonly attributes: Readonly<Record<string, number | readonly number[]>>
  /** Where the node is in the file, when it is in the main graph; null in a body. */
  readonly start: number | null
}

/** Protobuf has no larger messages. */
const fileBytesMax = 2 ** 31 - 1
const nodesMax = 200_000
const tensorsMax = 200_000
const valuesMax = 10_000
const metadataMax = 10_000
const bodyDepthMax = 16
const externalFilesMax = 1_000

/** Those that draw random numbers, of every opset. Dropout does so when it is told to by its third input. */
const noiseOperators = new Set([
  'RandomNormal',
  'RandomNormalLike',
  'RandomUniform',
  'RandomUniformLike',
  'Multinomial',
  'Bernoulli',
])

/**
 * Reads a graph's file, by its path or its bytes, in time linear in its number of fields: parameters are passed over.
 * Throws `BadGraphFile`, whatever is in the file, and what the file system says.
 */
export function readGraphFile(source: string | Uint8Array): GraphInfo {
  if (typeof source !== 'string') return readModel(bytesOf(source))
  using file = openFileBytes(source)
  return readModel(file)
}

function readModel(bytes: Bytes): GraphInfo {
  if (bytes.length === 0) throw new BadGraphFile('is empty')
  if (bytes.length > fileBytesMax) throw new BadGraphFile('is larger than 2 GiB, which no ONNX file can be')
  const other = otherKind(bytes)
  if (other) throw new BadGraphFile(`is ${other}, not an ONNX file`)
  return readFields(bytes)
}

/** What people have in place of a model when a download went wrong. */
const kinds: readonly [string, string][] = [
  ['PK\x03\x04', 'a zip archive'],
  ['PK\x05\x06', 'a zip archive'],
  ['\x1f\x8b', 'a gzip archive'],
  ['BZh', 'a bzip2 archive'],
  ['\xfd7zXZ', 'an xz archive'],
  ['\x28\xb5\x2f\xfd', 'a Zstandard archive'],
  ['version https://git-lfs', 'a pointer of Git LFS, whose real file was not downloaded'],
  ['<!doctype', 'a web page'],
  ['<html', 'a web page'],
  ['{', 'JSON'],
]

function otherKind(bytes: Bytes): string | undefined {
  const head = new Uint8Array(Math.min(32, bytes.length))
  bytes.read(0, head)
  const text = String.fromCharCode(...head).toLowerCase()
  return kinds.find(([start]) => text.startsWith(start.toLowerCase()))?.[1]
}

function readFields(bytes: Bytes): GraphInfo {
  const graph = new GraphReader()
  const metadata = new Map<string, string>()
  let irVersion = 0
  let opset = 0
  walk(bytes, (field) => {
    switch (field.number) {
      case 1:
        irVersion = field.integer()
        break
      case 7:
        field.message((inner) => graph.readGraph(inner, 0))
        break
      case 8: {
        const { domain, version } = readOpset(field)
        if (isDefaultDomain(domain)) opset = version
        break
      }
      case 14: {
        const [key, value] = readEntry(field)
        metadata.set(key, value)
        if (metadata.size > metadataMax) throw new BadGraphFile(`has more than ${metadataMax} entries of metadata`)
        break
      }
      case 25:
        // A function of the model: its nodes are like those of a body.
        field.message((inner) => inner.number === 7 && graph.readNode(inner, 1))
        break
    }
  })
  if (irVersion < 1 || (graph.nodeCount === 0 && graph.outputs.length === 0))
    throw new BadGraphFile('has no graph, or is no ONNX file')
  if (opset < 1) throw new BadGraphFile('does not say which opset it is of')
  return { irVersion, opset, metadata: Object.fromEntries(metadata), ...graph.info() }
}

/** Collects what is in the graph and its bodies. */
class GraphReader {
  nodeCount = 0
  readonly inputs: TensorInfo[] = []
  readonly outputs: TensorInfo[] = []
  private readonly operators = new Map<string, number>()
  private readonly outputsByOperator = new Map<string, string[]>()
  private readonly noise: NoiseNode[] = []
  private readonly externalFiles = new Map<string, number>()
  /** Names of the main graph's own. */
  private readonly parameters = new Set<string>()
  private tensorCount = 0
  private parameterBytes = 0

  info() {
    return {
      // Before IR version 4 every parameter is an input too.
      inputs: this.inputs.filter(({ name }) => !this.parameters.has(name)),
      outputs: this.outputs,
      nodeCount: this.nodeCount,
      operators: this.operators,
      outputsByOperator: this.outputsByOperator,
      noise: this.noise,
      parameterBytes: this.parameterBytes,
      externalFiles: [...this.externalFiles].map(([location, sizeBytesMin]) => ({ location, sizeBytesMin })),
    }
  }

  /** A field of a GraphProto; `depth` is 0 in the main graph. */
  readGraph(field: Field, depth: number): void {
    switch (field.number) {
      case 1:
        return this.readNode(field, depth)
      case 5: {
        const name = this.readParameter(field)
        if (depth === 0) this.parameters.add(name)
        return
      }
      case 11:
        if (depth === 0) this.addValue(this.inputs, field)
        return
      case 12:
        if (depth === 0) this.addValue(this.outputs, field)
        return
      case 15:
        return this.readSparse(field)
    }
  }

  readNode(field: Field, depth: number): void {
    if (++this.nodeCount > nodesMax) throw new BadGraphFile(`has more than ${nodesMax} nodes`)
    const { start } = field
    const inputs: string[] = []
    const attributes: Record<string, number | number[]> = {}
    let output: string | undefined
    let operator = ''
    let domain = ''
    field.message((inner) => {
      if (inner.number === 1) inputs.push(inner.text())
      else if (inner.number === 2) output ??= inner.text()
      else if (inner.number === 4) operator = inner.text()
      else if (inner.number === 5) this.readAttribute(inner, attributes, depth)
      else if (inner.number === 7) domain = inner.text()
    })
    const name = isDefaultDomain(domain) ? operator : `${domain}.${operator}`
    this.operators.set(name, (this.operators.get(name) ?? 0) + 1)
    if (depth === 0 && output) {
      const outputs = this.outputsByOperator.get(name)
      if (outputs) outputs.push(output)
      else this.outputsByOperator.set(name, [output])
    }
    if (noiseOperators.has(name) || (name === 'Dropout' && inputs[2]))
      this.noise.push({ operator: name, inputs, output: output ?? '', attributes, start: depth === 0 ? start : null })
  }

  /** Keeps numbers and lists of whole numbers, looks into tensors and bodies. */
  private readAttribute(field: Field, attributes: Record<string, number | number[]>, depth: number): void {
    let name = ''
    let value: number | undefined
    const list: number[] = []
    const seen = new Set<number>()
    field.message((inner) => {
      // A message that is there twice is merged by protobuf; nobody writes that, and it would hide things from us.
      if ((inner.number === 5 || inner.number === 6) && seen.size === seen.add(inner.number).size)
        throw new BadGraphFile('has an attribute with two values')
      switch (inner.number) {
        case 1:
          name = inner.text()
          break
        case 2:
          value = inner.float()
          break
        case 3:
          value = inner.integer()
          break
        case 8:
          list.push(...inner.integers())
          break
        case 5:
        case 10:
          this.readParameter(inner)
          break
        case 6:
        case 11:
          if (depth >= bodyDepthMax) throw new BadGraphFile(`has bodies nested more than ${bodyDepthMax} deep`)
          inner.message((body) => this.readGraph(body, depth + 1))
          break
        case 22:
        case 23:
          this.readSparse(inner)
          break
      }
    })
    if (value !== undefined) attributes[name] = value
    else if (list.length > 0) attributes[name] = list
  }

  /** A SparseTensorProto: values and their places. */
  private readSparse(field: Field): void {
    field.message((inner) => (inner.number === 1 || inner.number === 2) && this.readParameter(inner))
  }

  /** Returns its name. */
  private readParameter(field: Field): string {
    if (++this.tensorCount > tensorsMax) throw new BadGraphFile(`has more than ${tensorsMax} parameters`)
    const { name, sizeBytes, external } = readTensor(field)
    this.parameterBytes += sizeBytes
    if (external) {
      const { location, sizeBytesMin } = external
      this.externalFiles.set(location, Math.max(sizeBytesMin, this.externalFiles.get(location) ?? 0))
      if (this.externalFiles.size > externalFilesMax)
        throw new BadGraphFile(`wants more than ${externalFilesMax} further files`)
    }
    return name
  }

  private addValue(values: TensorInfo[], field: Field): void {
    values.push(readValue(field))
    // Parameters may be among them.
    if (values.length > valuesMax) throw new BadGraphFile(`has more than ${valuesMax} inputs or outputs`)
  }
}

function readOpset(field: Field): { domain: string; version: number } {
  let domain = ''
  let version = 0
  field.message((inner) => {
    if (inner.number === 1) domain = inner.text()
    else if (inner.number === 2) version = inner.integer()
  })
  return { domain, version }
}

function isDefaultDomain(domain: string): boolean {
  return domain === '' || domain === 'ai.onnx'
}

/** A ValueInfoProto. */
function readValue(field: Field): TensorInfo {
  let name = ''
  let type = 'other'
  const dims: number[] = []
  field.message((inner) => {
    if (inner.number === 1) name = inner.text()
    else if (inner.number === 2)
      inner.message((kind) => {
        if (kind.number !== 1) return
        kind.message((tensor) => {
          if (tensor.number === 1) type = typeName(tensor.integer())
          else if (tensor.number === 2) tensor.message((shape) => shape.number === 1 && dims.push(readDim(shape)))
        })
      })
  })
  // Of a known shape that is one parameter's worth of numbers.
  sizeBytesOf(
    dims.filter((size) => size >= 0),
    'float32',
  )
  return { name, type, dims }
}

/** −1 where any size will do. */
function readDim(field: Field): number {
  let size = -1
  field.message((inner) => {
    if (inner.number === 1) size = inner.integer()
  })
  return size
}
