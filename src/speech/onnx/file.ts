/**
 * Reads the header of a graph's file without onnxruntime, a native library that should not parse damaged or absurd
 * files. Format: onnx.proto3 of https://github.com/onnx/onnx; the field numbers below are from there.
 */
import type { TensorInfo } from './runtime'
import { readTensor, sizeBytesOf, typeName, type ExternalFile } from './tensor'
import { BadGraphFile, bytesOf, openFileBytes, readEntry, walk, type Bytes, type Field } from './wire'

export type GraphInfo = {
  readonly irVersion: number
  /** Version of the default operator set. */
  readonly opset: number
  /** Inputs that are not parameters. */
  readonly inputs: readonly TensorInfo[]
  readonly outputs: readonly TensorInfo[]
  readonly metadata: Readonly<Record<string, string>>
  /** Including the bodies of loops and branches. */
  readonly nodeCount: number
  /** Number of nodes per operator, including bodies. Operators of other domains have a prefix: `com.microsoft.Gelu`. */
  readonly operators: ReadonlyMap<string, number>
  /** Operator to the first outputs of its nodes, main graph only. */
  readonly outputsByOperator: ReadonlyMap<string, readonly string[]>
  /** Operator to the first inputs of the same nodes. */
  readonly inputsByOperator: ReadonlyMap<string, readonly string[]>
  /** Nodes with random output. */
  readonly noise: readonly NoiseNode[]
  /** Size of all parameters, internal and external. */
  readonly parameterBytes: number
  /** External files of parameters. */
  readonly externalFiles: readonly ExternalFile[]
}

export type NoiseNode = {
  readonly operator: string
  readonly inputs: readonly string[]
  readonly output: string
  readonly attributes: Readonly<Record<string, number | readonly number[]>>
  /** Offset of the node in the main graph; null in a body. */
  readonly start: number | null
}

/** The maximum size of a protobuf message. */
const fileBytesMax = 2 ** 31 - 1
const nodesMax = 200_000
const tensorsMax = 200_000
const valuesMax = 10_000
const metadataMax = 10_000
const bodyDepthMax = 16
const externalFilesMax = 1_000

/** Random operators of every opset. Dropout is random depending on its third input. */
const noiseOperators = new Set([
  'RandomNormal',
  'RandomNormalLike',
  'RandomUniform',
  'RandomUniformLike',
  'Multinomial',
  'Bernoulli',
])

/**
 * Reads a graph's file, by its path or its bytes, in time linear in its number of fields; skips the values of
 * parameters. Throws `BadGraphFile` for any invalid file, and file system errors.
 */
export function readGraphFile(source: string | Uint8Array): GraphInfo {
  if (typeof source !== 'string') return readModel(bytesOf(source))
  using file = openFileBytes(source)
  return readModel(file)
}

function readModel(bytes: Bytes): GraphInfo {
  if (bytes.length === 0) throw new BadGraphFile('is empty')
  if (bytes.length > fileBytesMax) throw new BadGraphFile('is larger than 2 GiB, the maximum of ONNX files')
  const other = otherKind(bytes)
  if (other) throw new BadGraphFile(`is ${other}, not an ONNX file`)
  return readFields(bytes)
}

/** Common files in place of a model after a failed download. */
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
        // A function of the model; its nodes count as those of a body.
        field.message((inner) => inner.number === 7 && graph.readNode(inner, 1))
        break
    }
  })
  if (irVersion < 1 || (graph.nodeCount === 0 && graph.outputs.length === 0))
    throw new BadGraphFile('has no graph, or is not an ONNX file')
  if (opset < 1) throw new BadGraphFile('does not declare its opset')
  return { irVersion, opset, metadata: Object.fromEntries(metadata), ...graph.info() }
}

/** Collects the contents of the graph and its bodies. */
class GraphReader {
  nodeCount = 0
  readonly inputs: TensorInfo[] = []
  readonly outputs: TensorInfo[] = []
  private readonly operators = new Map<string, number>()
  private readonly outputsByOperator = new Map<string, string[]>()
  private readonly inputsByOperator = new Map<string, string[]>()
  private readonly noise: NoiseNode[] = []
  private readonly externalFiles = new Map<string, number>()
  /** Names in the main graph. */
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
      inputsByOperator: this.inputsByOperator,
      noise: this.noise,
      parameterBytes: this.parameterBytes,
      externalFiles: [...this.externalFiles].map(([location, sizeBytesMin]) => ({ location, sizeBytesMin })),
    }
  }

  /** Reads a field of a GraphProto; `depth` is 0 in the main graph. */
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
      append(this.outputsByOperator, name, output)
      append(this.inputsByOperator, name, inputs[0] ?? '')
    }
    if (noiseOperators.has(name) || (name === 'Dropout' && inputs[2]))
      this.noise.push({ operator: name, inputs, output: output ?? '', attributes, start: depth === 0 ? start : null })
  }

  /** Keeps integers and lists of integers; descends into tensors and bodies. */
  private readAttribute(field: Field, attributes: Record<string, number | number[]>, depth: number): void {
    let name = ''
    let value: number | undefined
    const list: number[] = []
    const seen = new Set<number>()
    field.message((inner) => {
      // Protobuf merges repeated messages. No exporter writes them, and they would hide contents from this reader.
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

  /** Reads a SparseTensorProto: values and their indices. */
  private readSparse(field: Field): void {
    field.message((inner) => (inner.number === 1 || inner.number === 2) && this.readParameter(inner))
  }

  /** Reads a parameter and returns its name. */
  private readParameter(field: Field): string {
    if (++this.tensorCount > tensorsMax) throw new BadGraphFile(`has more than ${tensorsMax} parameters`)
    const { name, sizeBytes, external } = readTensor(field)
    this.parameterBytes += sizeBytes
    if (external) {
      const { location, sizeBytesMin } = external
      this.externalFiles.set(location, Math.max(sizeBytesMin, this.externalFiles.get(location) ?? 0))
      if (this.externalFiles.size > externalFilesMax)
        throw new BadGraphFile(`needs more than ${externalFilesMax} external files`)
    }
    return name
  }

  private addValue(values: TensorInfo[], field: Field): void {
    values.push(readValue(field))
    // The inputs may include parameters.
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

/** Reads a ValueInfoProto. */
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
  // A known shape counts like a parameter's.
  sizeBytesOf(
    dims.filter((size) => size >= 0),
    'float32',
  )
  return { name, type, dims }
}

/** −1 for any size. */
function readDim(field: Field): number {
  let size = -1
  field.message((inner) => {
    if (inner.number === 1) size = inner.integer()
  })
  return size
}

function append(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}
