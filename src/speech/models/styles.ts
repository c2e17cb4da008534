/**
 * Styles of Kokoro and KittenTTS: per voice rows of 256 float32, one row per text length. Three file formats: one raw
 * file per voice (`voices/<name>.bin`, onnx-community), one raw file of all (`voices.bin` with the names in the graph's
 * metadata, sherpa-onnx), or a NumPy archive (`voices.npz` of KittenTTS, `voices-v1.0.bin` of kokoro-onnx).
 */
import { join } from 'node:path'
import type { PackFolder } from './family'
import { readNpz } from './npz'
import { BadPack } from './pack'

/** Numbers in a row. */
export const styleSize = 256
const rowBytes = styleSize * Float32Array.BYTES_PER_ELEMENT

export type Style = {
  readonly name: string
  readonly rows: number
  /** Returns all rows, concatenated. */
  read(): Promise<Float32Array>
}

/** The style files: one for all voices, or one per voice. Empty without any. */
export function findStyleFiles(files: readonly string[]): readonly string[] {
  const each = files.filter((file) => /^voices\/[^/]+\.bin$/.test(file))
  if (each.length > 0) return each
  const all = files.filter((file) => /^voices[^/]*\.(bin|npz)$/.test(file))
  return all.slice(0, 1)
}

export type StyleLayout = {
  /** Voices in the order of a raw file of all; unused for other formats. */
  readonly names: readonly string[]
  /** Rows per voice. */
  readonly rowsMin: number
  readonly rowsMax: number
}

/** Throws `BadPack` on unexpected sizes. */
export async function openStyles(folder: PackFolder, layout: StyleLayout): Promise<Style[]> {
  const { rowsMin, rowsMax } = layout
  const styles = await findStyles(folder, layout)
  for (const { name, rows } of styles) {
    if (!/^[\w.-]{1,40}$/.test(name)) throw new BadPack(`a style is named ${JSON.stringify(name)}`)
    if (rows < rowsMin || rows > rowsMax)
      throw new BadPack(`the style ${name} has ${rows} rows, not ${rangeOf(layout)}`)
  }
  return styles
}

async function findStyles({ directory, files, sizeBytesOf }: PackFolder, layout: StyleLayout): Promise<Style[]> {
  const found = findStyleFiles(files)
  const [first] = found
  if (first === undefined) throw new BadPack('there are no styles: voices/*.bin, voices.bin or voices.npz')
  const raw = (name: string, file: string, rows: number, index = 0): Style => ({
    name,
    rows,
    async read() {
      const bytes = Bun.file(join(directory, file)).slice(index * rows * rowBytes, (index + 1) * rows * rowBytes)
      return new Float32Array(await bytes.arrayBuffer())
    },
  })
  if (first.startsWith('voices/'))
    return found.map((file) => {
      const name = file.slice('voices/'.length, -'.bin'.length)
      return raw(name, file, countRows(file, sizeBytesOf(file), 1, layout))
    })
  if (await isArchive(join(directory, first))) return openArchive(directory, first, layout)
  const { names } = layout
  if (names.length === 0)
    throw new BadPack(`${first} holds several voices, and the graph's metadata lacks their names (speaker_names)`)
  const rows = countRows(first, sizeBytesOf(first), names.length, layout)
  return names.map((name, index) => raw(name, first, rows, index))
}

/** Rows per voice of a raw file, from its size. */
function countRows(file: string, sizeBytes: number, voices: number, layout: StyleLayout): number {
  const rows = sizeBytes / (voices * rowBytes)
  if (Number.isInteger(rows) && rows >= layout.rowsMin && rows <= layout.rowsMax) return rows
  const range = rangeOf(layout)
  throw new BadPack(`${file} has ${sizeBytes} bytes, not ${voices} × ${range} rows of ${styleSize} float32`)
}

const rangeOf = ({ rowsMin, rowsMax }: StyleLayout) => (rowsMin === rowsMax ? `${rowsMin}` : `${rowsMin} to ${rowsMax}`)

async function isArchive(path: string): Promise<boolean> {
  return (await Bun.file(path).slice(0, 4).text()) === 'PK\x03\x04'
}

async function openArchive(directory: string, file: string, { rowsMax }: StyleLayout): Promise<Style[]> {
  const arrays = await readNpz(join(directory, file), file, rowsMax * rowBytes)
  return arrays.map(({ name, shape, read }) => {
    const [rows] = shape
    if (
      !rows ||
      shape.at(-1) !== styleSize ||
      shape.reduce((a, b) => a * b, 1) !== rows * styleSize ||
      shape.length < 2
    )
      throw new BadPack(`${file}: ${name} is ${shape.join(' × ')}, not rows of ${styleSize}`)
    return { name, rows, read }
  })
}
