/** Finding out what pack lies in a folder, by its files alone: nothing is opened with onnxruntime. */
import { closeSync, openSync, readSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { GraphInfo } from '../onnx/file'
import { planGraph } from '../onnx/graph'
import type { PackContent, PackReader } from './family'
import { openPackFolder, type OpenedFolder } from './folder'
import { readLicense } from './license'
import { BadPack, type Pack } from './pack'
import { packReaders } from './readers'
import { takeSnapshot } from './snapshot'

/** Of what can only be told when it has spoken nothing is said; `memoryBytes` is an estimate. */
export type ReadPack = Omit<Pack, 'timesWords' | 'batches'>

const fingerprintDigits = 32
const hashedBytes = 1 << 16
const voicesMax = 5_000
const sampleRateMin = 8_000
const sampleRateMax = 48_000
/**
 * Of a process that has opened a model, beyond its parameters: the library of onnxruntime, 30 MB, and what one sentence
 * takes. Measured: 34 MB with HiFi-GAN V2 (3.7 MB of parameters), 59 MB after a sentence of 5 s.
 */
const memoryBytesBase = 64e6
/** Per byte of parameters; measured 1.0 (convolutions) to 1.5 (matrices, of which some are kept twice). */
const memoryFactor = 1.5

/** Reads the pack in `directory`. Throws `BadPack`. Only in a worker: it takes as long as the files are many. */
export async function readPack(directory: string, readers: readonly PackReader[] = packReaders): Promise<ReadPack> {
  const snapshot = await takeSnapshot(directory)
  if (!snapshot || snapshot.fault !== undefined) throw new BadPack(snapshot?.fault ?? 'there is no such folder')
  const folder = await openPackFolder(directory)
  const content = await readContent(folder, readers)
  checkContent(content)
  const { family, graph, sampleRate, voices } = content
  const graphs = await Promise.all(graphsOf(folder, content).map((file) => folder.readGraph(file)))
  return {
    name: basename(directory),
    family,
    sampleRate,
    voices,
    model: {
      directory: folder.directory,
      graph,
      version: snapshot.version,
      fingerprint: hashFile(join(folder.directory, graph)),
      memoryBytes: estimateMemoryBytes(graphs),
    },
    deterministic: graphs.every((info) => planGraph(info).deterministic),
    sizeBytes: folder.sizeBytes,
    license: content.license ?? (await readLicense(folder)),
    ...(content.fingerprint !== undefined && { fingerprint: content.fingerprint }),
  }
}

/** Through one small buffer: what reading leaves behind would hide how much memory the model takes. */
function hashFile(path: string): string {
  const hasher = new Bun.CryptoHasher('sha256')
  const buffer = Buffer.alloc(hashedBytes)
  const file = openSync(path, 'r')
  try {
    for (let count = readSync(file, buffer); count > 0; count = readSync(file, buffer))
      hasher.update(buffer.subarray(0, count))
  } finally {
    closeSync(file)
  }
  return hasher.digest('hex').slice(0, fingerprintDigits)
}

/** What a process will need for these graphs, about. */
export function estimateMemoryBytes(graphs: readonly Pick<GraphInfo, 'parameterBytes'>[]): number {
  const parameterBytes = graphs.reduce((sum, info) => sum + info.parameterBytes, 0)
  return Math.round(memoryBytesBase + memoryFactor * parameterBytes)
}

/** What `estimateMemoryBytes` began with. */
export function parameterBytesOf(estimatedBytes: number): number {
  return (estimatedBytes - memoryBytesBase) / memoryFactor
}

/** A converter works with all of its graphs, a voice with one. */
function graphsOf({ files }: OpenedFolder, { family, graph }: PackContent): string[] {
  return family === 'converter' ? files.filter((file) => file.endsWith('.onnx')) : [graph]
}

async function readContent(folder: OpenedFolder, readers: readonly PackReader[]): Promise<PackContent> {
  for (const read of readers) {
    const content = await read(folder)
    if (content) return content
  }
  throw new BadPack(whyUnknown(folder))
}

const archivePattern = /\.(zip|tar|tgz|tar\.\w+|tbz2|7z|rar|gz|bz2|xz|zst)$/i

/** What is most likely wrong with a folder that no family knows. */
function whyUnknown({ files, leftOut }: OpenedFolder): string {
  const isGraph = (file: string) => file.endsWith('.onnx')
  for (const [file, reason] of leftOut) if (isGraph(file)) return `${file} ${reason}`
  const graph = files.find(isGraph)
  if (graph) return `${graph} has nothing beside it that tells which family of models it is of`
  const archive = files.find((file) => archivePattern.test(file))
  if (archive) return `${archive} is an archive: unpack it`
  for (const [file, reason] of leftOut) return `it has no model (.onnx), and ${file} ${reason}`
  return files.length === 0 ? 'the folder is empty' : 'it has no model (.onnx)'
}

/** What a reader says is made of what strangers wrote. */
function checkContent({ family, graph, voices, sampleRate }: PackContent): void {
  if (!Number.isInteger(sampleRate) || sampleRate < sampleRateMin || sampleRate > sampleRateMax)
    throw new BadPack(`its sample rate is ${sampleRate} Hz, not one from ${sampleRateMin} to ${sampleRateMax}`)
  if (voices.length === 0 && family !== 'converter') throw new BadPack(`${graph} has no voices`)
  if (voices.length > voicesMax) throw new BadPack(`${graph} has ${voices.length} voices, more than ${voicesMax}`)
  const ids = voices.map(({ id }) => id)
  const twice = ids.find((id, index) => ids.indexOf(id) < index)
  if (twice !== undefined) throw new BadPack(`two of its voices would be called ${twice}`)
}
