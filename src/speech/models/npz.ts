/**
 * Reads arrays from NumPy archives (`.npz`: a zip of `.npy` files), a format of published voice styles. Reads only
 * float32 as written by `numpy.savez`. Formats: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
 * and PKWARE's APPNOTE.TXT 4.3. The entries come from the central directory at the end.
 */
import { inflateRawSync } from 'node:zlib'
import { BadPack } from './pack'

export type NpzArray = {
  /** Name of the entry without `.npy`. */
  readonly name: string
  readonly shape: readonly number[]
  /** The values in row-major order. Throws `BadPack`. */
  read(): Promise<Float32Array>
}

type Entry = { name: string; method: number; packedBytes: number; sizeBytes: number; headerOffset: number }

const signatures = { end: 0x06054b50, entry: 0x02014b50, file: 0x04034b50 } as const
const stored = 0
const deflated = 8
/** The end record with the longest possible comment. */
const endBytesMax = 22 + 65_535
const entriesMax = 1000
/** Largest header of a `.npy` file; `numpy.savez` writes 128 bytes. */
const arrayHeaderBytesMax = 1024

/** `name`: of the file, for messages. `sizeBytesMax`: of one array. Throws `BadPack`. */
export async function readNpz(path: string, name: string, sizeBytesMax: number): Promise<NpzArray[]> {
  const file = Bun.file(path)
  const bad = (what: string) => new BadPack(`${name} is not a readable NumPy archive: ${what}`)
  const arrays: NpzArray[] = []
  for (const entry of await readEntries(file, bad)) {
    if (!entry.name.endsWith('.npy')) throw bad(`it has a file ${JSON.stringify(entry.name)}`)
    if (entry.method !== stored && entry.method !== deflated) throw bad(`${entry.name} has an unsupported compression`)
    if (entry.sizeBytes > sizeBytesMax + arrayHeaderBytesMax) throw bad(`${entry.name} is too large`)
    if (entry.method === stored && entry.packedBytes !== entry.sizeBytes)
      throw bad(`${entry.name} has contradictory sizes`)
    const bytes = () => readEntry(file, entry, bad)
    const { shape, dataOffset } = readArrayHeader(await bytes(), entry.name, bad)
    const read = async () => {
      const values = (await bytes()).slice(dataOffset)
      return new Float32Array(values.buffer, 0, values.length / Float32Array.BYTES_PER_ELEMENT)
    }
    arrays.push({ name: entry.name.slice(0, -'.npy'.length), shape, read })
  }
  return arrays
}

type Bad = (what: string) => BadPack

async function readEntries(file: Bun.BunFile, bad: Bad): Promise<Entry[]> {
  const tail = await viewOf(file, Math.max(0, file.size - endBytesMax), file.size)
  let end = tail.byteLength - 22
  while (end >= 0 && tail.getUint32(end, true) !== signatures.end) end--
  if (end < 0) throw bad('its end record is missing')
  const count = tail.getUint16(end + 10, true)
  const sizeBytes = tail.getUint32(end + 12, true)
  const offset = tail.getUint32(end + 16, true)
  if (count === 0 || count > entriesMax || offset + sizeBytes > file.size) throw bad('its directory is damaged')
  const directory = await viewOf(file, offset, offset + sizeBytes)
  const entries: Entry[] = []
  for (let at = 0; entries.length < count;) {
    if (at + 46 > sizeBytes || directory.getUint32(at, true) !== signatures.entry) throw bad('its directory is damaged')
    const nameBytes = directory.getUint16(at + 28, true)
    if (at + 46 + nameBytes > sizeBytes) throw bad('its directory is damaged')
    entries.push({
      name: new TextDecoder().decode(new Uint8Array(directory.buffer, at + 46, nameBytes)),
      method: directory.getUint16(at + 10, true),
      packedBytes: directory.getUint32(at + 20, true),
      sizeBytes: directory.getUint32(at + 24, true),
      headerOffset: directory.getUint32(at + 42, true),
    })
    at += 46 + nameBytes + directory.getUint16(at + 30, true) + directory.getUint16(at + 32, true)
  }
  return entries
}

async function readEntry(file: Bun.BunFile, entry: Entry, bad: Bad): Promise<Uint8Array<ArrayBuffer>> {
  const { name, headerOffset, method, packedBytes, sizeBytes } = entry
  const header = await viewOf(file, headerOffset, headerOffset + 30)
  if (header.byteLength < 30 || header.getUint32(0, true) !== signatures.file) throw bad(`${name} is not at its offset`)
  const start = headerOffset + 30 + header.getUint16(26, true) + header.getUint16(28, true)
  const packed = await file.slice(start, start + packedBytes).bytes()
  const bytes = method === stored ? packed : inflate(packed, sizeBytes)
  if (bytes?.length !== sizeBytes) throw bad(`${name} is damaged`)
  return bytes
}

/** Returns undefined for damaged or larger data. */
function inflate(packed: Uint8Array, sizeBytes: number): Uint8Array<ArrayBuffer> | undefined {
  try {
    return new Uint8Array(inflateRawSync(packed, { maxOutputLength: Math.max(1, sizeBytes) }))
  } catch (error) {
    if (error instanceof RangeError || (error as NodeJS.ErrnoException).code?.startsWith('Z_')) return undefined
    throw error
  }
}

/**
 * `\x93NUMPY`, version, length, and a Python dictionary such as `{'descr': '<f4', 'fortran_order': False, 'shape':
 * (510, 1, 256), }`.
 */
function readArrayHeader(bytes: Uint8Array, name: string, bad: Bad): { shape: number[]; dataOffset: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const magic = [0x93, ...new TextEncoder().encode('NUMPY')]
  if (bytes.length < 12 || magic.some((byte, at) => bytes[at] !== byte)) throw bad(`${name} is not an array`)
  const long = bytes[6]! > 1
  const dataOffset = long ? 12 + view.getUint32(8, true) : 10 + view.getUint16(8, true)
  if (dataOffset > Math.min(bytes.length, arrayHeaderBytesMax)) throw bad(`${name} is damaged`)
  const header = new TextDecoder().decode(bytes.subarray(long ? 12 : 10, dataOffset))
  const shape = /'shape':\s*\(([\d, ]*)\)/.exec(header)?.[1]
  if (!/'descr':\s*'<f4'/.test(header) || !/'fortran_order':\s*False/.test(header) || shape === undefined)
    throw bad(`${name} is not row-major float32`)
  const sizes = shape.split(',').flatMap((size) => (size.trim() ? [Number(size)] : []))
  const values = sizes.reduce((product, size) => product * size, 1)
  if (bytes.length - dataOffset !== values * Float32Array.BYTES_PER_ELEMENT)
    throw bad(`${name} does not have its declared length`)
  return { shape: sizes, dataOffset }
}

async function viewOf(file: Bun.BunFile, start: number, end: number): Promise<DataView> {
  return new DataView(await file.slice(start, end).arrayBuffer())
}
