/**
 * The output of `sonant say`. The audio is first written to a temporary file. Then a regular file is replaced in one
 * step; a device, a FIFO or standard output receives the bytes and is not replaced.
 */
import { closeSync, constants, openSync, unlinkSync, type Stats } from 'node:fs'
import { access, lstat, open, readlink, realpath, rename, stat, type FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { BadAudio } from '../audio/decode/bad-audio'
import { sniff } from '../audio/decode/probe'
import { audioFormats, type AudioFormat } from '../audio/encode/encoder'
import { AppError } from '../errors'
import { syncDirectory } from '../storage/files'
import { describeFailure } from './failures'
import { UsageError } from './flags'
import { writeBytes } from './print'

export type Target = {
  /** The target as given, for messages. */
  readonly name: string
  /**
   * `file`: replaces this file. `stream`: receives the bytes; without `path` it is standard output. `none`: playback
   * only.
   */
  readonly kind: 'file' | 'stream' | 'none'
  readonly path?: string
  /** Mode of the replaced file. */
  readonly mode?: number
}

/** The target of `/dev/stdout` and `/dev/fd/1` on Linux. */
const ownOutput = `/proc/${process.pid}/fd/1`
const linksMax = 40

/** The format by the file's extension. Throws `UsageError` if it contradicts `--format` or is unknown. */
export function chooseFormat(format: string | undefined, output: string | undefined): AudioFormat {
  if (format !== undefined && !isFormat(format))
    throw new UsageError(`--format: found "${format}"; allowed is ${anyOf(audioFormats)}`)
  const ending = output === undefined || /^\/(dev|proc)\//.test(output) ? '' : extname(output).toLowerCase()
  const named = audioFormats.find((known) => ending === `.${known}`)
  if (named !== undefined && format !== undefined && named !== format)
    throw new UsageError(`-o ${output}: its name says ${named}, --format says ${format}; change one of them`)
  if (named === undefined && otherAudio.includes(ending))
    throw new UsageError(`-o ${output}: "${ending}" cannot be made; allowed is ${anyOf(endings)}`)
  if (named === undefined && ending !== '' && format === undefined)
    throw new UsageError(
      `-o ${output}: the extension "${ending}" is not an audio format; use ${anyOf(endings)}, or add --format`,
    )
  return named ?? format ?? 'mp3'
}

const endings = audioFormats.map((format) => `.${format}`)
const otherAudio = ['.ogg', '.oga', '.m4a', '.mp4', '.wma', '.aif', '.aiff', '.webm', '.pcm']

function isFormat(name: string): name is AudioFormat {
  return (audioFormats as readonly string[]).includes(name)
}

function anyOf(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
}

/** Throws `UsageError` for a target that must not be written, and `storage_failed` where writing is impossible. */
export async function chooseTarget(given: string, { force }: { force: boolean }): Promise<Target> {
  if (given === '' || given.endsWith('/')) throw new UsageError(`-o "${given}": name a file`)
  const path = given === '-' ? ownOutput : await outputOf(given, () => followLinks(given))
  if (path === ownOutput) {
    if (!process.stdout.isTTY || force) return { name: 'standard output', kind: 'stream' }
    throw new UsageError('audio is not for a terminal; pipe it on, name a file with -o, or add --force')
  }
  const found = await outputOf(given, () => stat(path).catch(ignoreMissing))
  if (path.startsWith('/proc/') || (found && !found.isFile())) return chooseDevice(given, path, found, force)
  if (found) await refuseReplacing(given, path, found, force)
  await outputOf(given, () => checkDirectory(dirname(path)))
  return { name: given, kind: 'file', path, ...(found && { mode: found.mode & 0o777 }) }
}

function chooseDevice(given: string, path: string, found: Stats | undefined, force: boolean): Target {
  if (found?.isDirectory()) throw new UsageError(`-o ${given} is a directory; name a file in it`)
  if (found?.isBlockDevice()) throw new UsageError(`-o ${given} is a disk; sonant does not write to disks`)
  if (found?.isSocket()) throw new UsageError(`-o ${given} is a socket; pipe standard output (-o -) to it`)
  const isTerminal = found?.isCharacterDevice() && /^\/dev\/(tty|pts\/|console)/.test(path)
  if (isTerminal && !force) throw new UsageError(`-o ${given} is a terminal; add --force to write audio to it`)
  return { name: given, kind: 'stream', path: given }
}

/** Resolves links, even to a missing target. Paths in `/proc` are file descriptors and stay. */
async function followLinks(given: string): Promise<string> {
  let path = resolve(given)
  for (let links = 0; links < linksMax; links++) {
    if (/^\/dev\/(stdout|fd\/1)$/.test(path)) return ownOutput
    path = join(await realpath(dirname(path)), basename(path))
    if (path.startsWith('/proc/')) return path
    const found = await lstat(path).catch(ignoreMissing)
    if (!found?.isSymbolicLink()) return path
    path = resolve(dirname(path), await readlink(path))
  }
  throw new UsageError(`-o ${given}: too many links`)
}

async function refuseReplacing(given: string, path: string, { size }: Stats, force: boolean): Promise<void> {
  if (force) return
  const writable = await access(path, constants.W_OK).then(
    () => true,
    () => false,
  )
  if (!writable) throw new UsageError(`-o ${given} is write-protected; add --force to replace it`)
  if (size > 0 && !(await isOurFormat(path)))
    throw new UsageError(`-o ${given} is there already and is not ${anyOf(audioFormats)}; add --force to replace it`)
}

const sniffedBytes = 64 << 10

/** By its content. */
async function isOurFormat(path: string): Promise<boolean> {
  const file = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(sniffedBytes), 0, sniffedBytes, 0)
    const kind = sniff(buffer.subarray(0, bytesRead))
    return kind === 'ogg-opus' || isFormat(kind)
  } catch (error) {
    if (error instanceof BadAudio) return false
    throw error
  } finally {
    await file.close()
  }
}

async function checkDirectory(path: string): Promise<void> {
  await access(path, constants.W_OK | constants.X_OK)
}

export type Draft = {
  readonly path: string
  readonly file: FileHandle
  /** Marks the draft as delivered. */
  keep(): void
}

/**
 * Creates the temporary file: beside its target, else in the temporary directory. `onMade` receives a function that
 * removes it.
 */
export async function openDraft(
  { name, kind, path, mode }: Target,
  onMade: (remove: () => void) => void,
): Promise<Draft> {
  const directory = kind === 'file' ? dirname(path!) : tmpdir()
  const draft = join(directory, `.sonant-${process.pid}-${crypto.randomUUID().slice(0, 8)}.part`)
  let isTemporary = true
  const keep = () => void (isTemporary = false)
  return outputOf(name, async () => {
    // Synchronous, so that no signal arrives between the creation and `onMade`.
    closeSync(openSync(draft, 'wx', mode ?? 0o666))
    onMade(() => {
      if (isTemporary) unlinkSync(draft)
      keep()
    })
    const file = await open(draft, 'r+')
    if (mode !== undefined) await file.chmod(mode)
    return { path: draft, file, keep }
  })
}

/** Moves or writes the complete audio to the target. */
export async function deliver({ name, kind, path }: Target, draft: Draft): Promise<void> {
  if (kind === 'none') return
  if (kind === 'file')
    return outputOf(name, async () => {
      await draft.file.sync()
      // Another process may have replaced the target.
      const found = await lstat(path!).catch(ignoreMissing)
      if (found && !found.isFile()) throw new UsageError(`-o ${name} is no longer a regular file`)
      await rename(draft.path, path!)
      draft.keep()
      await syncDirectory(dirname(path!))
    })
  if (path === undefined) return writeBytes(bytesOf(draft.file))
  await outputOf(name, async () => {
    const stream = await open(path, constants.O_WRONLY)
    try {
      for await (const bytes of bytesOf(draft.file)) await writeAll(stream, bytes)
    } finally {
      await stream.close()
    }
  })
}

const chunkBytes = 64 << 10

async function* bytesOf(file: FileHandle): AsyncGenerator<Uint8Array> {
  for (let at = 0; ;) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(chunkBytes), 0, chunkBytes, at)
    if (bytesRead === 0) return
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

async function writeAll(stream: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += (await stream.write(bytes, at, bytes.length - at, null)).bytesWritten
}

/** Names the given file in errors of `work`. */
export async function outputOf<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (typeof code !== 'string' || error instanceof AppError) throw error
    if (code === 'ENOENT') throw new AppError('storage_failed', `${name}: there is no directory ${dirname(name)}`)
    const words = describeFailure(Object.assign(error as NodeJS.ErrnoException, { path: undefined }))
    throw new AppError('storage_failed', `${name}: ${words}`)
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
