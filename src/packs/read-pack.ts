/** Identifies the pack in a folder from its files, without onnxruntime. */
import { closeSync, openSync, readSync } from 'node:fs'
import { basename, join } from 'node:path'
import { planGraph } from '../speech/onnx/graph'
import type { PackContent, PackReader } from '../speech/models/family'
import { openPackFolder, type OpenedFolder } from '../speech/models/folder'
import { readLicense } from './license'
import { estimateMemoryBytes } from './memory'
import { BadPack, type Pack } from '../speech/models/pack'
import { packReaders } from './readers'
import { takeSnapshot } from '../speech/models/snapshot'

/** Without the properties that only a synthesis shows; `memoryBytes` is an estimate. */
export type ReadPack = Omit<Pack, 'timesWords' | 'batches'>

const fingerprintDigits = 32
const hashedBytes = 1 << 16
const voicesMax = 5_000
const sampleRateMin = 8_000
const sampleRateMax = 48_000

/** Reads the pack in `directory`. Throws `BadPack`. Only for workers: the time grows with the number of files. */
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
    ...(content.english !== undefined && { english: content.english }),
  }
}

/** Hashes through one small buffer; freed memory of the reading would hide the model's memory. */
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

/** A converter uses all of its graphs, a voice one. */
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

/** The likely fault of a folder of no known family. */
function whyUnknown({ files, leftOut }: OpenedFolder): string {
  const isGraph = (file: string) => file.endsWith('.onnx')
  for (const [file, reason] of leftOut) if (isGraph(file)) return `${file} ${reason}`
  const graph = files.find(isGraph)
  if (graph) return `${graph} has no file beside it that identifies its family of models`
  const archive = files.find((file) => archivePattern.test(file))
  if (archive) return `${archive} is an archive: unpack it`
  for (const [file, reason] of leftOut) return `it has no model (.onnx), and ${file} ${reason}`
  return files.length === 0 ? 'the folder is empty' : 'it has no model (.onnx)'
}

/** Readers' results contain third-party data. */
function checkContent({ family, graph, voices, sampleRate }: PackContent): void {
  if (!Number.isInteger(sampleRate) || sampleRate < sampleRateMin || sampleRate > sampleRateMax)
    throw new BadPack(`its sample rate is ${sampleRate} Hz; ${sampleRateMin} to ${sampleRateMax} Hz are allowed`)
  if (voices.length === 0 && family !== 'converter') throw new BadPack(`${graph} has no voices`)
  if (voices.length > voicesMax)
    throw new BadPack(`${graph} has ${voices.length} voices; at most ${voicesMax} are allowed`)
  const ids = voices.map(({ id }) => id)
  const twice = ids.find((id, index) => ids.indexOf(id) < index)
  if (twice !== undefined) throw new BadPack(`two of its voices have the id ${twice}`)
}
