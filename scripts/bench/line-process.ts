/** A program that answers each line of its standard input, JSON, with one line. */
export type LineProcess = {
  /** Send the next line only after the answer. Throws when the program has ended. */
  ask(question: unknown): Promise<string>
  stop(): Promise<void>
}

export function startLineProcess(command: string[], environment: Readonly<Record<string, string>> = {}): LineProcess {
  const child = Bun.spawn(command, { env: { ...process.env, ...environment }, stdio: ['pipe', 'pipe', 'inherit'] })
  const chunks = child.stdout.pipeThrough(new TextDecoderStream()).getReader()
  return {
    async ask(question) {
      child.stdin.write(`${JSON.stringify(question)}\n`)
      await child.stdin.flush()
      let text = ''
      while (!text.endsWith('\n')) {
        const { value, done } = await chunks.read()
        if (done) throw new Error(`${command.join(' ')} ended`)
        text += value
      }
      return text
    },
    async stop() {
      child.kill()
      await child.exited
    },
  }
}
