/**
 * Lists and reads the folder of a pack without following links out of it. The pack may come from an untrusted source.
 */
import { lstat, readdir, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { isFields } from '../../fields'
import { parseJson } from '../../json'
import { checkGraphFile } from '../onnx/check'
import type { GraphInfo } from '../onnx/file'
import { BadGraphFile } from '../onnx/wire'
import type { PackFolder } from './family'
import { BadPack } from './pack'
import { filesMax, levelsMax } from './snapshot'

export type OpenedFolder = PackFolder & {
  readonly sizeBytes: number
  /** Excluded entries of the folder, with the reason. */
  readonly leftOut: ReadonlyMap<string, string>
}

const sizeBytesMax = 8 * 2 ** 30
const jsonBytesMax = 16 << 20

/** Throws `BadPack` when the path is not a folder, cannot be read, or exceeds the limits of a pack. */
export async function openPackFolder(path: string): Promise<OpenedFolder> {
  const directory = await realpath(path).catch((error: NodeJS.ErrnoException) => {
    throw new BadPack(`the folder cannot be opened: ${error.message}`)
  })
  if (!(await stat(directory)).isDirectory()) throw new BadPack('it is not a folder')
  const { sizes, leftOut } = await survey(directory)
  const sizeBytes = [...sizes.values()].reduce((sum, size) => sum + size, 0)
  if (sizeBytes > sizeBytesMax) throw new BadPack(`its files have ${sizeBytes} bytes, more than ${sizeBytesMax}`)
  const graphs = new Map<string, GraphInfo>()

  function sizeBytesOf(file: string): number {
    const size = sizes.get(file)
    if (size !== undefined) return size
    throw new BadPack(leftOut.has(file) ? `${file} ${leftOut.get(file)}` : `${file} is missing`)
  }

  async function read(file: string, fileBytesMax: number): Promise<Uint8Array> {
    const size = sizeBytesOf(file)
    if (size > fileBytesMax) throw new BadPack(`${file} has ${size} bytes, more than ${fileBytesMax}`)
    // Only the size measured above: the file may have grown since.
    return guard(file, () => Bun.file(join(directory, file)).slice(0, size).bytes())
  }

  return {
    directory,
    files: [...sizes.keys()].sort(),
    sizeBytes,
    leftOut,
    sizeBytesOf,
    read,

    async readJson(file) {
      const bytes = await read(file, jsonBytesMax)
      const value = parse(bytes)
      if (isFields(value)) return value
      throw new BadPack(`${file} is not a JSON object`)
    },

    async readGraph(file) {
      let info = graphs.get(file)
      if (info) return info
      sizeBytesOf(file)
      info = await guard(file, () => checkGraphFile(join(directory, file)))
      graphs.set(file, info)
      return info
    },
  }
}

/** Adds the file name to errors. */
async function guard<T>(file: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof BadGraphFile) throw new BadPack(`${file} ${error.message}`)
    throw new BadPack(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Returns undefined for invalid JSON. */
function parse(bytes: Uint8Array): unknown {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}

type Survey = { readonly sizes: Map<string, number>; readonly leftOut: Map<string, string> }

async function survey(directory: string): Promise<Survey> {
  const found: Survey = { sizes: new Map(), leftOut: new Map() }

  async function look(inside: string, level: number): Promise<void> {
    const names = await readdir(join(directory, inside)).catch((error: NodeJS.ErrnoException) => {
      throw new BadPack(`${inside || 'the folder'} cannot be read: ${error.message}`)
    })
    for (const name of names) {
      // File managers and download tools leave hidden files.
      if (name.startsWith('.')) continue
      const path = inside ? `${inside}/${name}` : name
      if (found.sizes.size + found.leftOut.size >= filesMax) throw new BadPack(`it has more than ${filesMax} files`)
      await add(path, level)
    }
  }

  async function add(path: string, level: number): Promise<void> {
    const whole = join(directory, path)
    const target = await realpath(whole).catch(() => undefined)
    if (target === undefined) return leaveOut(path, 'is a broken link')
    if (!target.startsWith(directory + sep)) return leaveOut(path, 'is a link that leads out of the folder')
    const isLink = (await lstat(whole)).isSymbolicLink()
    const stats = await stat(target)
    if (stats.isFile()) found.sizes.set(path, stats.size)
    else if (!stats.isDirectory()) leaveOut(path, 'is not a regular file')
    // A link to a folder may form a cycle.
    else if (isLink) leaveOut(path, 'is a link to a folder')
    else if (level < levelsMax) await look(path, level + 1)
  }

  function leaveOut(path: string, reason: string): void {
    found.leftOut.set(path, reason)
  }

  await look('', 1)
  return found
}
