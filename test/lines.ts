/** Lines of a process's output. A chunk of a pipe may end anywhere, also within a line or a letter. */

/** Returns a function that gives all whole lines so far; `end` resolves when the stream is over. */
export function collectLines(stream: ReadableStream<Uint8Array>): { lines: () => string; end: Promise<void> } {
  let text = ''
  const read = async () => {
    const decoder = new TextDecoder()
    for await (const chunk of stream) text += decoder.decode(chunk, { stream: true })
  }
  return { lines: () => text.slice(0, text.lastIndexOf('\n') + 1), end: read() }
}

/** The first line; undefined when the stream ends before it is whole. The rest of the stream is not read. */
export async function readFirstLine(stream: ReadableStream<Uint8Array>): Promise<string | undefined> {
  const decoder = new TextDecoder()
  const reader = stream.getReader()
  let text = ''
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return undefined
      text += decoder.decode(value, { stream: true })
      const end = text.indexOf('\n')
      if (end >= 0) return text.slice(0, end)
    }
  } finally {
    reader.releaseLock()
  }
}

/** The JSON of a server's first line. Throws when it ends without one. */
export async function readReadyLine<T = Record<string, unknown>>(stream: ReadableStream<Uint8Array>): Promise<T> {
  const line = await readFirstLine(stream)
  if (line === undefined) throw new Error('The process ended before its first line.')
  return JSON.parse(line) as T
}
