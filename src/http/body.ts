/** Reads a JSON body within a limit, whatever its Content-Type says. */
import { AppError } from '../errors'

/** The parsed object. Throws `payload_too_large` and `invalid_params`. */
export async function readJsonObject(request: Request, sizeBytesMax: number): Promise<Record<string, unknown>> {
  const text = decode(await readBytes(request, sizeBytesMax))
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new AppError('invalid_params', 'The body is not valid JSON.')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new AppError('invalid_params', `The body must be a JSON object; found ${describe(value)}.`)
  return value as Record<string, unknown>
}

/** How a JSON value is named in an error message. */
export function describe(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)
  return typeof value === 'object' ? 'an object' : String(value)
}

async function readBytes(request: Request, sizeBytesMax: number): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > sizeBytesMax) throw tooLarge(sizeBytesMax)
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  try {
    for await (const chunk of request.body ?? []) {
      sizeBytes += chunk.length
      if (sizeBytes > sizeBytesMax) throw tooLarge(sizeBytesMax)
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof AppError) throw error
    throw new AppError('client_gone', 'The client left before its request was whole.')
  }
  return Buffer.concat(chunks)
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
