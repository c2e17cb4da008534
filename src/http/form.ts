/** Reads a form with one file (multipart/form-data, RFC 7578) as it arrives: the file goes to disk, not to memory. */
import type { BusboyFileStream } from '@fastify/busboy'
import { limits } from '../config'
import { runWithin, shorten } from '../deadline'
import { AppError } from '../errors'
import type { Fields } from '../fields'
import type { IncomingReference, ReceivedReference } from '../storage/references'
import { stateOf } from './request-state'

export type Form = { readonly fields: Fields; readonly file: ReceivedReference | undefined }

/** Boundaries and headers of the parts, and the short fields. */
const otherBytesMax = 64 << 10

export function isForm(request: Request): boolean {
  return /^multipart\/form-data\s*(;|$)/i.test(request.headers.get('content-type') ?? '')
}

/**
 * The short fields, and the field `file` through `receive`. Throws `file_too_large` as soon as that is known,
 * `invalid_params`, `body_too_slow`, `client_gone`, and what `receive` throws; the file is then gone again.
 */
export async function readForm(request: Request, receive: () => Promise<IncomingReference>): Promise<Form> {
  const { referenceBytesMax } = limits
  if (Number(request.headers.get('content-length') ?? 0) > referenceBytesMax + otherBytesMax) throw tooLarge()
  const parser = await createParser(request)
  const fields: Record<string, unknown> = {}
  let receiving: Promise<ReceivedReference> | undefined
  let arriving: BusboyFileStream | undefined
  let fault: Error | undefined
  const fail = (error: Error) => {
    fault ??= error
    parser.destroy()
    // The parser does not end it, and its reader would wait for ever.
    arriving?.destroy()
  }

  parser.on('field', (name, value, nameTruncated, valueTruncated) => {
    if (nameTruncated || valueTruncated)
      return fail(refuseForm(`the field ${JSON.stringify(name.slice(0, 64))} is too long`, name.slice(0, 64)))
    fields[name] = value
  })
  parser.on('file', (name, stream) => {
    // Its reader learns of it.
    stream.on('error', () => {})
    if (name !== 'file') return fail(refuseForm(`only file may be a file; found one named ${JSON.stringify(name)}`))
    if (receiving) return fail(refuseForm('found more than one file'))
    arriving = stream
    receiving = store(stream, receive)
    receiving.catch(fail)
  })
  parser.on('error', (error) => fail(refuseForm(String((error as Error).message ?? error))))
  for (const event of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const)
    parser.on(event, () => fail(refuseForm('there are too many fields')))
  const ended = new Promise<void>((resolve) => {
    for (const event of ['finish', 'close', 'error'] as const) parser.once(event, () => resolve())
  })

  const leave = () => fail(new AppError('client_gone', 'The client left before its request was whole.'))
  request.signal.addEventListener('abort', leave)
  try {
    await feed(request, parser, ended, () => fault)
    await ended
    if (fault) throw fault
    return { fields, file: await receiving }
  } catch (error) {
    fail(error as Error)
    await receiving?.then((file) => file.discard()).catch(() => {})
    throw fault
  } finally {
    request.signal.removeEventListener('abort', leave)
  }
}

async function createParser(request: Request) {
  const { Busboy } = await import('@fastify/busboy')
  try {
    return new Busboy({
      headers: { 'content-type': request.headers.get('content-type')! },
      limits: {
        fields: 16,
        files: 2,
        parts: 18,
        fieldNameSize: 100,
        fieldSize: 4096,
        headerPairs: 32,
        headerSize: 8192,
      },
    })
  } catch (error) {
    throw refuseForm((error as Error).message)
  }
}

async function store(stream: BusboyFileStream, receive: () => Promise<IncomingReference>): Promise<ReceivedReference> {
  const incoming = await receive()
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      if (incoming.sizeBytes + chunk.length > limits.referenceBytesMax) throw tooLarge()
      await incoming.write(chunk)
    }
    return await incoming.finish()
  } catch (error) {
    await incoming.abort()
    throw error instanceof AppError ? error : refuseForm('it ends within the file')
  }
}

type Parser = Awaited<ReturnType<typeof createParser>>

/** Hands the body to the parser as fast as that takes it; a body that stops coming is given up. */
async function feed(
  request: Request,
  parser: Parser,
  ended: Promise<void>,
  fault: () => Error | undefined,
): Promise<void> {
  const reader = request.body?.getReader()
  if (!reader) throw refuseForm('there is no body')
  const deadline = shorten(stateOf(request).deadline, limits.uploadTimeoutMs)
  try {
    for (let sizeBytes = 0; ;) {
      const idle = shorten(deadline, limits.uploadIdleMs)
      const read = await runWithin(idle, Promise.race([reader.read(), ended]), tooSlow)
      if (fault() || !read) return
      const { done, value } = read
      if (done) break
      sizeBytes += value.length
      if (sizeBytes > limits.referenceBytesMax + otherBytesMax) throw tooLarge()
      if (!parser.write(value)) await Promise.race([ended, new Promise((resolve) => parser.once('drain', resolve))])
    }
    parser.end()
  } catch (error) {
    if (error instanceof AppError) throw error
    throw new AppError('client_gone', 'The client left before its request was whole.', { cause: error })
  } finally {
    void reader.cancel().catch(() => {})
  }
}

function tooSlow(): AppError {
  return new AppError('body_too_slow', 'The upload stopped, or took too long.')
}

function tooLarge(): AppError {
  const message = `file: larger than ${limits.referenceBytesMax} bytes.`
  return new AppError('file_too_large', message, { param: 'file' })
}

function refuseForm(reason: string, param = 'file'): AppError {
  return new AppError('invalid_params', `The form cannot be read: ${reason}.`, { param })
}
