/** Chromium without network, driven over the DevTools protocol: one page and its requests. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const pollMs = 50
const timeoutMs = 20_000

type Message = { id?: number; method?: string; params?: any; result?: any; error?: { message: string } }

/** Opens the page; only 127.0.0.1 can be reached from it. */
export async function openBrowser(url: string) {
  const directory = await mkdtemp(join(tmpdir(), 'sonant-browser-'))
  const child = Bun.spawn(
    [
      'chromium',
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--window-size=1200,1600',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
      '--remote-debugging-port=0',
      `--user-data-dir=${directory}`,
    ],
    { stdout: 'ignore', stderr: 'pipe' },
  )
  const socket = new WebSocket(await debuggerUrl(child.stderr))
  await new Promise((resolve, reject) => {
    socket.onopen = resolve
    socket.onerror = reject
  })
  const waiting = new Map<number, (message: Message) => void>()
  const requested: string[] = []
  const complaints: string[] = []
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(String(data)) as Message
    if (message.id !== undefined) waiting.get(message.id)?.(message)
    if (message.method === 'Network.requestWillBeSent') requested.push(message.params.request.url)
    if (message.method === 'Log.entryAdded') complaints.push(message.params.entry.text)
    if (message.method === 'Runtime.exceptionThrown') complaints.push(message.params.exceptionDetails.text)
  }
  let lastId = 0
  let sessionId: string | undefined

  async function send(method: string, params: object = {}): Promise<any> {
    const id = ++lastId
    const answer = await new Promise<Message>((resolve) => {
      waiting.set(id, resolve)
      socket.send(JSON.stringify({ id, method, params, sessionId }))
    })
    waiting.delete(id)
    if (answer.error) throw new Error(`${method}: ${answer.error.message}`)
    return answer.result
  }

  async function evaluate(expression: string): Promise<any> {
    const { result, exceptionDetails } = await send('Runtime.evaluate', { expression, returnByValue: true })
    if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.text}`)
    return result.value
  }

  /** Waits until the expression has a value and returns it. */
  async function until<T>(expression: string): Promise<T> {
    const endAtMs = performance.now() + timeoutMs
    while (performance.now() < endAtMs) {
      const value = await evaluate(expression)
      if (value) return value as T
      await Bun.sleep(pollMs)
    }
    throw new Error(`never true in the page: ${expression}`)
  }

  const { targetId } = await send('Target.createTarget', { url: 'about:blank' })
  sessionId = (await send('Target.attachToTarget', { targetId, flatten: true })).sessionId
  for (const domain of ['Network', 'Log', 'Runtime', 'Page']) await send(`${domain}.enable`)
  await send('Page.navigate', { url })

  return {
    until,
    requested: () => requested,
    /** Script errors, refused loads, and similar messages. */
    complaints: () => complaints,
    /** Waits for the element and focuses it. */
    async click(selector: string): Promise<void> {
      const found = `document.querySelector(${JSON.stringify(selector)})`
      await until(`(() => { const it = ${found}; if (!it) return false; it.focus(); it.click(); return true })()`)
    },
    /** Emulates a phone of this width. */
    async narrow(widthPixels: number): Promise<void> {
      const size = { width: widthPixels, height: 800, deviceScaleFactor: 1, mobile: true }
      await send('Emulation.setDeviceMetricsOverride', size)
    },
    async type(text: string): Promise<void> {
      await send('Input.insertText', { text })
    },
    async close(): Promise<void> {
      socket.close()
      child.kill()
      await child.exited
      await rm(directory, { recursive: true, force: true })
    },
  }
}

async function debuggerUrl(stderr: ReadableStream<Uint8Array>): Promise<string> {
  let text = ''
  for await (const chunk of stderr) {
    text += Buffer.from(chunk).toString()
    const url = /DevTools listening on (ws:\S+)/.exec(text)?.[1]
    if (url) return url
  }
  throw new Error(`chromium did not start: ${text}`)
}
