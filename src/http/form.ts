/** Reads a form with files (multipart/form-data, RFC 7578) as it arrives, and writes the files to disk. */
import type { Dicer } from '@fastify/busboy'
import { limits } from '../config'
import { runWithin, shorten, startDeadline, type Deadline } from '../deadline'
import { AppError } from '../errors'
import type { Fields } from '../fields'
import { receiveBody } from './arrival'

/** `files`: those named `file`, in their order. */
export type Form<File> = { readonly fields: Fields; readonly files: readonly File[] }

/** A file that is being received. */
export type IncomingFile<File> = {
  write(bytes: Uint8Array): Promise<void>
  finish(): Promise<File>
  /** Removes the file. */
  abort(): Promise<void>
}

/** A whole file. */
type Received = { discard(): Promise<void> }

export type FormRules<File extends Received> = {
  readonly deadline: Deadline
  /** Limit for all files together. */
  readonly sizeBytesMax: number
  readonly filesMax: number
  /** Begins a file. `fileName`: as the client gave it. An error refuses the form. */
  readonly receive: (fileName: string | undefined) => Promise<IncomingFile<File>>
}

/** Boundaries and headers of a part, and the short fields. */
const otherBytesMax = 64 << 10
const headBytesMax = 1 << 10
/** Besides the files. */
const fieldsMax = 17
const fieldNameCharactersMax = 100
const fieldBytesMax = 4096
const headerBytesMax = 8192
const headersMax = 32
/** The disk is given at least this much at once, but for the end of a file. */
const writeBytesMin = 32 << 10
/** The body waits for the disk only beyond this: Bun joins what arrives in a wait, which hides small chunks. */
const unwrittenBytesMax = 256 << 10
/** The parts of a refused form are removed before the answer, unless the disk takes longer. */
const removeTimeoutMs = 2_000

export function isForm(request: Request): boolean {
  return /^multipart\/form-data\s*(;|$)/i.test(request.headers.get('content-type') ?? '')
}

/**
 * Returns the short fields, and passes each file to `receive`. Throws `file_too_large` as early as possible,
 * `invalid_params`, `unsupported_encoding`, `body_too_slow`, `client_gone`, and the errors of `receive`; the files are
 * then removed.
 */
export async function readForm<File extends Received>(request: Request, rules: FormRules<File>): Promise<Form<File>> {
  const { deadline, sizeBytesMax, filesMax } = rules
  const collector = createCollector(rules)
  try {
    const parser = openParser(request, collector, rules)
    const arrival = {
      sizeBytesMax: sizeBytesMax + otherBytesMax + filesMax * headBytesMax,
      deadline,
      idleMs: limits.uploadIdleMs,
      tooLarge: () => tooLarge(sizeBytesMax),
      tooSlow,
    }
    await receiveBody(request, arrival, (piece) => parser.take(piece, deadline))
    await parser.end(shorten(deadline, limits.uploadIdleMs))
    return await runWithin(deadline, collector.finish(), tooSlow)
  } catch (error) {
    const removed = runWithin(startDeadline(removeTimeoutMs), collector.abort(), tooSlow).catch(() => {})
    // Until the connection is closed, Bun goes on with the chunks that arrive.
    if (!isFragmented(error)) await removed
    throw error
  }
}

/**
 * Parses bytes into parts. Every part is read or refused, and the buffer of a part is larger than any form, because the
 * parser does not always resume after a full buffer.
 */
function openParser(
  request: Request,
  collector: Collector,
  { sizeBytesMax, filesMax }: Pick<FormRules<Received>, 'sizeBytesMax' | 'filesMax'>,
) {
  const boundary = boundaryOf(request)
  // At once, without an `await`: what arrives before the first read is joined, which hides small chunks.
  const { Dicer } = require('@fastify/busboy') as typeof import('@fastify/busboy')
  const options = {
    boundary,
    partHwm: 2 * sizeBytesMax,
    maxHeaderPairs: headersMax,
    maxHeaderSize: headerBytesMax,
  }
  const parser = new Dicer(options)
  const ended = Promise.withResolvers<void>()
  let isWhole = false
  let parts = 0
  let openParts = 0
  const endIfDone = () => {
    if (collector.hasFailed || (isWhole && openParts === 0)) ended.resolve()
  }
  const attempt = (work: () => void) => {
    collector.attempt(work)
    endIfDone()
  }
  parser.on('part', (part) => {
    attempt(() => {
      if (++parts > filesMax + fieldsMax) throw refuseForm('there are too many fields')
    })
    // The parser reports errors of a part as well.
    part.on('error', () => {})
    part.on('header', (header) =>
      attempt(() => {
        collector.check()
        openParts++
        collect(part, readHead(header as unknown as PartHeader), collector)
        part.on('end', () => attempt(() => void openParts--))
      }),
    )
  })
  parser.on('error', () =>
    attempt(() => {
      throw refuseForm('it ends before its last boundary')
    }),
  )
  parser.on('finish', () => attempt(() => void (isWhole = true)))
  return {
    /** Ignores bytes after the last boundary. */
    async take(piece: Uint8Array, deadline: Deadline): Promise<void> {
      if (!isWhole) parser.write(piece)
      collector.check()
      const writing = collector.written()
      if (writing) await runWithin(deadline, writing, tooSlow)
      collector.check()
    },
    async end(deadline: Deadline): Promise<void> {
      if (!isWhole) parser.end()
      await runWithin(deadline, ended.promise, tooSlow)
      collector.check()
    },
  }
}

/** Throws `invalid_params`. */
function boundaryOf(request: Request): string {
  const boundary = parameterOf(request.headers.get('content-type')!, 'boundary')
  // RFC 2046 section 5.1.1.
  if (boundary && /^[\x20-\x7e]{0,69}[\x21-\x7e]$/.test(boundary)) return boundary
  throw refuseForm('its Content-Type needs a boundary of 1 to 70 characters')
}

/** Collects the parts, and the first fault. */
type Collector = {
  /** Runs `work` in a callback of the parser, which must not throw. */
  attempt(work: () => void): void
  check(): void
  readonly hasFailed: boolean
  setField(name: string, value: string): void
  openFile(fileName: string | undefined): FileSink
  /** Resolves when the disk has taken what it was given; undefined: it keeps up. */
  written(): Promise<void> | undefined
}

type FileSink = { write(chunk: Uint8Array): void; end(): void }

function createCollector<File extends Received>({ receive, sizeBytesMax, filesMax }: FormRules<File>) {
  const fields = new Map<string, string>()
  const files: File[] = []
  const open = new Set<Promise<IncomingFile<File>>>()
  let opened = 0
  let writing: Promise<void> = Promise.resolve()
  let sizeBytes = 0
  let unwrittenBytes = 0
  let fault: unknown

  function enqueue(work: () => Promise<unknown>): void {
    writing = writing.then(async () => void (await work()))
    writing.catch((error: unknown) => (fault ??= error))
  }

  function openFile(fileName: string | undefined): FileSink {
    if (++opened > filesMax) throw refuseForm(`found more than ${filesMax === 1 ? 'one file' : `${filesMax} files`}`)
    const incoming = receive(fileName)
    // The chain of writes may reach its rejection only later.
    incoming.catch(() => {})
    open.add(incoming)
    enqueue(() => incoming)
    /** Not handed to the disk yet: small pieces are joined. */
    let held: Uint8Array[] = []
    let heldBytes = 0
    const flush = () => {
      const bytes = held.length === 1 ? held[0]! : Buffer.concat(held)
      held = []
      heldBytes = 0
      if (bytes.length === 0) return
      enqueue(async () => {
        await (await incoming).write(bytes)
        unwrittenBytes -= bytes.length
      })
    }
    return {
      write(chunk) {
        if (fault) return
        sizeBytes += chunk.length
        if (sizeBytes > sizeBytesMax) throw tooLarge(sizeBytesMax)
        held.push(chunk)
        heldBytes += chunk.length
        unwrittenBytes += chunk.length
        if (heldBytes >= writeBytesMin) flush()
      },
      end() {
        if (fault) return
        flush()
        enqueue(async () => {
          files.push(await (await incoming).finish())
          open.delete(incoming)
        })
      },
    }
  }

  return {
    attempt(work: () => void): void {
      try {
        work()
      } catch (error) {
        fault ??= error
      }
    },
    check(): void {
      if (fault) throw fault
    },
    get hasFailed() {
      return fault !== undefined
    },
    setField: (name: string, value: string) => void fields.set(name, value),
    openFile,
    written: (): Promise<void> | undefined => (unwrittenBytes > unwrittenBytesMax ? writing : undefined),
    async finish(): Promise<Form<File>> {
      await writing
      if (fault) throw fault
      return { fields: Object.fromEntries(fields), files }
    },
    /** Removes the files and ignores further data. */
    async abort(): Promise<void> {
      fault ??= new Error('the form was refused')
      await writing.catch(() => {})
      for (const file of files) await file.discard()
      for (const incoming of open) await incoming.then((file) => file.abort()).catch(() => {})
    },
  }
}

type Head = { readonly name: string; readonly isFile: boolean; readonly fileName: string | undefined }
/** As the parser returns it: one byte per character. */
type PartHeader = Readonly<Record<string, readonly string[]>>

/** Throws `invalid_params`. */
function readHead(header: PartHeader): Head {
  const disposition = utf8(Buffer.from(header['content-disposition']?.[0] ?? '', 'latin1'), 'the head of a part')
  if (!/^\s*form-data\s*(;|$)/i.test(disposition))
    throw refuseForm('a part has no "Content-Disposition: form-data; name=…"')
  const name = parameterOf(disposition, 'name')
  if (!name) throw refuseForm('a part has no name')
  const shown = name.slice(0, 64)
  if (name.length > fieldNameCharactersMax) throw refuseForm(`the field ${JSON.stringify(shown)} is too long`, shown)
  const isBinary = /^\s*application\/octet-stream\b/i.test(header['content-type']?.[0] ?? '')
  const isFile = isBinary || /;\s*filename\*?\s*=/i.test(disposition)
  if (isFile && name !== 'file') throw refuseForm(`only file may be a file; found one named ${JSON.stringify(shown)}`)
  return { name, isFile, fileName: parameterOf(disposition, 'filename') }
}

/** The value of a header parameter (RFC 2183), without its quotes. */
function parameterOf(header: string, wanted: string): string | undefined {
  const parameters = header.matchAll(/;\s*([^\s=;]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;]*))/g)
  for (const [, name, quoted, bare] of parameters)
    if (name!.toLowerCase() === wanted) return quoted?.replace(/\\(.)/g, '$1') ?? bare!.trim()
  return undefined
}

type Part = Dicer.PartStream

function collect(part: Part, { name, isFile, fileName }: Head, collector: Collector): void {
  if (isFile) {
    const file = collector.openFile(fileName)
    part.on('data', (chunk: Uint8Array) => collector.attempt(() => file.write(chunk)))
    part.on('end', () => collector.attempt(() => file.end()))
    return
  }
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  part.on('data', (chunk: Uint8Array) =>
    collector.attempt(() => {
      sizeBytes += chunk.length
      if (sizeBytes > fieldBytesMax) throw refuseForm(`the field ${JSON.stringify(name)} is too long`, name)
      chunks.push(chunk)
    }),
  )
  part.on('end', () =>
    collector.attempt(() => collector.setField(name, utf8(Buffer.concat(chunks), `the field ${name}`, name))),
  )
}

function utf8(bytes: Uint8Array, what: string, param?: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw refuseForm(`${what} is not valid UTF-8`, param)
  }
}

function isFragmented(error: unknown): boolean {
  return error instanceof AppError && error.code === 'body_too_fragmented'
}

function tooSlow(): AppError {
  return new AppError('body_too_slow', 'The upload stopped, or took too long.')
}

function tooLarge(sizeBytesMax: number): AppError {
  const message = `file: larger than ${sizeBytesMax} bytes.`
  return new AppError('file_too_large', message, { param: 'file' })
}

function refuseForm(reason: string, param = 'file'): AppError {
  return new AppError('invalid_params', `The form cannot be read: ${reason}.`, { param })
}
