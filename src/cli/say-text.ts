/** The text of `sonant say`: from the command line, a file, or standard input. */
import { open } from 'node:fs/promises'
import { limits } from '../config'
import { AppError } from '../errors'
import { describeFailure } from './failures'
import { UsageError } from './flags'

type Given = {
  readonly words: readonly string[]
  /** The value of `-f`. */
  readonly file: string | undefined
  readonly isTerminal: boolean
}

/** Throws `UsageError` without a readable text. */
export async function readText({ words, file, isTerminal }: Given): Promise<string> {
  if (file !== undefined && words.length > 0)
    throw new UsageError(`say has two texts: "${words.join(' ')}" and -f ${file}; give one`)
  const fromInput = file === '-' || (words.length === 1 && words[0] === '-') || (!isTerminal && words.length === 0)
  let text = words.join(' ')
  if (file !== undefined && file !== '-') text = await readFile(file)
  else if (fromInput) {
    if (isTerminal) console.error('Type or paste the text; Ctrl-D ends it.')
    text = decode(await collect(Bun.stdin.stream(), 'standard input'), 'standard input')
  }
  if (text.trim() !== '') return text
  if (file !== undefined && file !== '-') throw new UsageError(`-f ${file}: there is no text in it`)
  throw new UsageError('say needs a text: sonant say "Hello" -o hello.mp3')
}

async function readFile(path: string): Promise<string> {
  try {
    const file = await open(path, 'r')
    try {
      return decode(await collect(file.createReadStream({ autoClose: false }), path), path)
    } finally {
      await file.close()
    }
  } catch (error) {
    if (error instanceof UsageError) throw error
    const words = describeFailure(error)
    throw new AppError('invalid_params', words.includes(path) ? words : `${path}: ${words}`)
  }
}

async function collect(stream: AsyncIterable<Uint8Array>, name: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of stream) {
    bytes += chunk.length
    if (bytes > limits.sayTextBytesMax)
      throw new UsageError(`${name}: there is more than ${limits.sayTextBytesMax >> 20} MiB of text; split it`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** UTF-8, or UTF-16 with a byte order mark, as written by editors on Windows. */
function decode(bytes: Uint8Array, name: string): string {
  const [first, second] = bytes
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    throw new UsageError(`${name}: this is not text in UTF-8; convert it first, for example with iconv`)
  }
}
