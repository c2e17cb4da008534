/** Starts the processes of benches: servers, up to their first line, and scripts that answer tasks. */
import { join } from 'node:path'

export type ReadyLine = { base_url: string; api_key?: string; admin_key?: string; setup_url?: string }

/** Starts a process and waits for its first line on stdout, which is parsed. */
export async function startUntilReady(
  command: string[],
  { stderr = 'ignore', environment }: { stderr?: 'ignore' | Bun.BunFile; environment?: Record<string, string> } = {},
) {
  const startedAtMs = performance.now()
  const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'pipe', stderr, env: environment ?? process.env })
  const line = await firstLine(child.stdout)
  const readyMs = performance.now() - startedAtMs
  if (line === undefined) throw new Error(`${command.join(' ')} ended with ${await child.exited} before it was ready.`)
  return { child, startedAtMs, readyMs, ready: JSON.parse(line) as ReadyLine }
}

/** Starts a script of this folder that answers one task at a time with `answerTasks`. */
export function startAnswering<Task, Result>(
  script: string,
  { args = [], environment = {} }: { args?: string[]; environment?: Record<string, string> } = {},
) {
  let answer: PromiseWithResolvers<Result> | undefined
  const child = Bun.spawn([process.execPath, join(import.meta.dir, script), ...args], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'inherit', 'inherit'],
    serialization: 'advanced',
    ipc: (result: Result) => answer?.resolve(result),
    onExit: () => answer?.reject(new Error(`The process of ${script} ended.`)),
  })
  return {
    run(task: Task): Promise<Result> {
      answer = Promise.withResolvers()
      child.send(task)
      return answer.promise
    },
    async stop(): Promise<void> {
      answer = undefined
      child.kill()
      await child.exited
    },
  }
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
