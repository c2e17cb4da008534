/** Parameters in a graph's file (TensorProto of onnx.proto3): their declared sizes, validated. */
import type { TensorType } from './runtime'
import { BadGraphFile, readEntry, type Field } from './wire'

export type ExternalFile = {
  /** Path relative to the graph's folder. Never absolute, and without `..`. */
  readonly location: string
  /** Bytes that the graph reads from its start. */
  readonly sizeBytesMin: number
}

export type Parameter = {
  readonly name: string
  /** Size of its values, internal or external. */
  readonly sizeBytes: number
  readonly external?: ExternalFile
}

/** TensorProto.DataType by number: onnxruntime's name, and bits per value. */
const types: Readonly<Record<number, readonly [TensorType, number]>> = {
  1: ['float32', 32],
  2: ['uint8', 8],
  3: ['int8', 8],
  4: ['uint16', 16],
  5: ['int16', 16],
  6: ['int32', 32],
  7: ['int64', 64],
  8: ['string', 0],
  9: ['bool', 8],
  10: ['float16', 16],
  11: ['float64', 64],
  12: ['uint32', 32],
  13: ['uint64', 64],
  14: ['complex64', 64],
  15: ['complex128', 128],
  16: ['bfloat16', 16],
  17: ['float8e4m3fn', 8],
  18: ['float8e4m3fnuz', 8],
  19: ['float8e5m2', 8],
  20: ['float8e5m2fnuz', 8],
  21: ['uint4', 4],
  22: ['int4', 4],
  23: ['float4e2m1', 4],
  24: ['float8e8m0', 8],
  25: ['uint2', 2],
  26: ['int2', 2],
}
const bitsByName = new Map<TensorType, number>(Object.values(types))

const rankMax = 64
/** Largest size of one parameter. */
const sizeBytesMax = 2 ** 36
/** Longest name of an external file. */
const locationLengthMax = 255
/** Values of four or two bits are packed into bytes. */
const valuesPerByteMax = 4

export function typeName(number: number): TensorType {
  return types[number]?.[0] ?? 'other'
}

/** Throws `BadGraphFile` for an invalid or absurd shape. */
export function sizeBytesOf(dims: readonly number[], type: TensorType): number {
  if (dims.length > rankMax) throw new BadGraphFile(`has a parameter of ${dims.length} dimensions`)
  let count = 1
  for (const size of dims) {
    if (!(size >= 0)) throw new BadGraphFile('has a parameter of a negative size')
    count *= size
  }
  const bytes = Math.ceil((count * (bitsByName.get(type) ?? 8)) / 8)
  // A zero among absurd sizes would make the product small.
  if (!(bytes <= sizeBytesMax) || dims.some((size) => size > sizeBytesMax))
    throw new BadGraphFile('has a parameter larger than 64 GiB')
  return bytes
}

/** Reads a TensorProto and skips its values. Throws `BadGraphFile` when their number differs from the shape. */
export function readTensor(field: Field): Parameter {
  const dims: number[] = []
  const entries = new Map<string, string>()
  let type: TensorType = 'other'
  let name = ''
  let rawBytes: number | undefined
  let typedBytes = 0
  let isExternal = false
  field.message((inner) => {
    switch (inner.number) {
      case 1:
        dims.push(...inner.integers())
        if (dims.length > rankMax) throw new BadGraphFile(`has a parameter of more than ${rankMax} dimensions`)
        break
      case 2:
        type = typeName(inner.integer())
        break
      case 4:
      case 5:
      case 6:
      case 7:
      case 10:
      case 11:
        typedBytes += inner.skip()
        break
      case 8:
        name = inner.text()
        break
      case 9:
        rawBytes = inner.skip()
        break
      case 13:
        entries.set(...readEntry(inner))
        break
      case 14:
        isExternal = inner.integer() === 1
        break
    }
  })
  if (type === 'other') throw new BadGraphFile(`has a parameter "${name}" of an unknown type`)
  const sizeBytes = sizeBytesOf(dims, type)
  if (isExternal || entries.size > 0) return { name, sizeBytes, external: readExternal(entries, sizeBytes) }
  if (type === 'string') return { name, sizeBytes: typedBytes }
  if (rawBytes !== undefined && rawBytes !== sizeBytes)
    throw new BadGraphFile(`has a parameter "${name}" of ${rawBytes} bytes, but its shape has ${sizeBytes}`)
  const count = sizeBytes / ((bitsByName.get(type) ?? 8) / 8)
  if (rawBytes === undefined && count > typedBytes * valuesPerByteMax)
    throw new BadGraphFile(`has a parameter "${name}" without its values`)
  return { name, sizeBytes }
}

function readExternal(entries: ReadonlyMap<string, string>, sizeBytes: number): ExternalFile {
  const location = entries.get('location') ?? ''
  if (!isPlainPath(location))
    throw new BadGraphFile(
      `needs parameters from ${JSON.stringify(location.slice(0, locationLengthMax))}, outside of its folder`,
    )
  const offset = readSize(entries.get('offset') ?? '0')
  const length = readSize(entries.get('length') ?? String(sizeBytes))
  if (length !== sizeBytes)
    throw new BadGraphFile(`needs ${length} bytes of ${location} for a parameter whose shape has ${sizeBytes}`)
  return { location, sizeBytesMin: offset + length }
}

function readSize(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new BadGraphFile('needs parameters at an offset that is not a number')
  return Number(text)
}

/** Whether a path is relative, goes only down, and has no special meaning on any system. */
function isPlainPath(path: string): boolean {
  return (
    path !== '' &&
    path.length <= locationLengthMax &&
    !/^[/*]|[\\:\p{Cc}]/u.test(path) &&
    path.split('/').every((part) => part !== '..' && part !== '')
  )
}
