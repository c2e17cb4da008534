/** Reads a JSON body with limits on size, time and depth. Ignores its Content-Type. */
import { limits } from '../config'
import { shorten } from '../deadline'
import { AppError } from '../errors'
import { describe, isFields, type Fields } from '../fields'
import { BadJson, parseJson } from '../json'
import { receiveBody } from './arrival'
import { stateOf } from './request-state'

/** The parsed object. Throws `payload_too_large`, `unsupported_encoding`, `body_too_slow`, `invalid_params`. */
export async function readJsonObject(request: Request): Promise<Fields> {
  return parseObject(await readBody(request))
}

/** As `readJsonObject`; a missing or empty body is an empty object. */
export async function readOptionalJsonObject(request: Request): Promise<Fields> {
  const text = await readBody(request)
  return text === '' ? {} : parseObject(text)
}

async function readBody(request: Request): Promise<string> {
  const chunks: Uint8Array[] = []
  const deadline = shorten(stateOf(request).deadline, limits.requestBodyTimeoutMs)
  const arrival = { sizeBytesMax: limits.requestBodyBytesMax, deadline, tooLarge, tooSlow }
  await receiveBody(request, arrival, (piece) => void chunks.push(piece))
  return decode(Buffer.concat(chunks))
}

function parseObject(text: string): Fields {
  const value = parse(text)
  if (!isFields(value))
    throw new AppError('invalid_params', `The body must be a JSON object; found ${describe(value)}.`)
  return value
}

function parse(text: string): unknown {
  try {
    return parseJson(text, limits.requestBodyDepthMax)
  } catch (error) {
    if (!(error instanceof BadJson)) throw error
    throw new AppError('invalid_params', `The body ${error.message}.`)
  }
}

/** The fields of the query; the last value of a repeated one. */
export function queryOf(request: Request): Fields {
  const start = request.url.indexOf('?')
  return start < 0 ? {} : Object.fromEntries(new URLSearchParams(request.url.slice(start)))
}

function tooLarge(): AppError {
  return new AppError('payload_too_large', `The body is larger than ${limits.requestBodyBytesMax} bytes.`)
}

function tooSlow(): AppError {
  return new AppError('body_too_slow', `The body did not arrive within ${limits.requestBodyTimeoutMs / 1000} s.`)
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new AppError('invalid_params', 'The body is not valid UTF-8.')
  }
}
