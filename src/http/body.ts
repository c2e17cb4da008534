/** Reads a JSON body within a limit of size and of time, whatever its Content-Type says. */
import { limits } from '../config'
import { shorten, type Deadline } from '../deadline'
import { AppError } from '../errors'
import { describe, isFields, type Fields } from '../fields'
import { stateOf } from './request-state'

/** The parsed object. Throws `payload_too_large`, `body_too_slow`, `invalid_params`. */
export async function readJsonObject(request: Request): Promise<Fields> {
  return parseObject(await readBody(request))
}

/** As `readJsonObject`; no body at all, or an empty one, is an empty object. */
export async function readOptionalJsonObject(request: Request): Promise<Fields> {
  const text = await readBody(request)
  return text === '' ? {} : parseObject(text)
}

async function readBody(request: Request): Promise<string> {
  const deadline = shorten(stateOf(request).deadline, limits.requestBodyTimeoutMs)
  return decode(await readBytes(request, limits.requestBodyBytesMax, deadline))
}

function parseObject(text: string): Fields {
  ensureShallow(text)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new AppError('invalid_params', 'The body is not valid JSON.')
  }
  if (!isFields(value))
    throw new AppError('invalid_params', `The body must be a JSON object; found ${describe(value)}.`)
  return value
}

/** No field of ours is that deep, and parsing a megabyte of brackets would keep everybody waiting. */
function ensureShallow(text: string): void {
  let depth = 0
  let isInString = false
  for (let i = 0; i < text.length; i++) {
    const character = text[i]
    if (character === '\\') i++
    else if (character === '"') isInString = !isInString
    else if (isInString) continue
    else if (character === '[' || character === '{') depth++
    else if (character === ']' || character === '}') depth--
    if (depth > limits.requestBodyDepthMax)
      throw new AppError('invalid_params', `The body is nested more than ${limits.requestBodyDepthMax} levels deep.`)
  }
}

/** The fields of the query; of one that is given twice the last. */
export function queryOf(request: Request): Fields {
  const start = request.url.indexOf('?')
  return start < 0 ? {} : Object.fromEntries(new URLSearchParams(request.url.slice(start)))
}

async function readBytes(request: Request, sizeBytesMax: number, deadline: Deadline): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > sizeBytesMax) throw tooLarge(sizeBytesMax)
  if (!request.body) return new Uint8Array(0)
  const reader = request.body.getReader()
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    void reader.cancel()
  }, deadline.remainingMs())
  try {
    return await collect(reader, sizeBytesMax)
  } catch (error) {
    if (error instanceof AppError) throw error
    if (!isLate) throw new AppError('client_gone', 'The client left before its request was whole.', { cause: error })
  } finally {
    clearTimeout(timer)
  }
  throw new AppError('body_too_slow', `The body did not arrive within ${limits.requestBodyTimeoutMs / 1000} s.`)

  async function collect(from: typeof reader, bytesMax: number): Promise<Uint8Array> {
    const chunks: Uint8Array[] = []
    let sizeBytes = 0
    for (;;) {
      const { done, value } = await from.read()
      if (isLate) throw new Error('too late')
      if (done) return Buffer.concat(chunks)
      sizeBytes += value.length
      if (sizeBytes > bytesMax) throw tooLarge(bytesMax)
      chunks.push(value)
    }
  }
}

function tooLarge(sizeBytesMax: number): AppError {
  return new AppError('payload_too_large', `The body is larger than ${sizeBytesMax} bytes.`)
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new AppError('invalid_params', 'The body is not valid UTF-8.')
  }
}
