/** Starting a server as a child process and reading its first line. */

export type ReadyLine = { base_url: string; api_key?: string }

/** From the start of the process to its first line on stdout, which is parsed. */
export async function startUntilReady(command: string[], { stderr = 'ignore' as 'ignore' | Bun.BunFile } = {}) {
  const startedAtMs = performance.now()
  const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'pipe', stderr })
  const line = await firstLine(child.stdout)
  const readyMs = performance.now() - startedAtMs
  if (line === undefined) throw new Error(`${command.join(' ')} ended with ${await child.exited} before it was ready.`)
  return { child, startedAtMs, readyMs, ready: JSON.parse(line) as ReadyLine }
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string | undefined> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true })
    const end = text.indexOf('\n')
    if (end >= 0) return text.slice(0, end)
  }
  return undefined
}
