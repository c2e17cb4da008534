/** The addresses in answers of a server on all interfaces, and its messages at the start. */
import { afterAll, beforeAll, describe, expect, it, setDefaultTimeout } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { executable, startEphemeral, stopAndRemove, type EphemeralSonant } from './sonant'

setDefaultTimeout(120_000)

describe('a server on all interfaces', () => {
  let sonant: EphemeralSonant
  beforeAll(async () => {
    sonant = await startEphemeral({ flags: ['--host', '0.0.0.0'] })
  })
  afterAll(() => stopAndRemove(sonant))

  type Init = { host: string; body?: unknown; key?: string; headers?: Record<string, string> }
  async function ask(path: string, { host, headers, ...init }: Init) {
    return sonant.request(path, { ...init, headers: { host, ...headers } })
  }

  it('is ready at 127.0.0.1, and warns about other hosts', () => {
    const { port } = new URL(sonant.baseUrl)
    expect(sonant.ready.base_url).toBe(`http://127.0.0.1:${port}`)
    const warning = sonant
      .log()
      .split('\n')
      .find((line) => line.includes('"warn"'))
    expect(warning).toContain('--base-url')
  })

  it('uses the host of each request in every address of an answer, also in replays, lists and histories', async () => {
    const key = 'ab'.repeat(16)
    const body = { text: 'Hello.' }
    const headers = { 'idempotency-key': key, 'x-forwarded-host': 'forwarded.example' }
    for (const host of ['localhost:1234', 'evil.example', '127.0.0.1:5678', 'localhost:1234']) {
      const expected = host === 'evil.example' ? sonant.baseUrl : `http://${host}`
      const spoken = (await (await ask('/api/v1/tts', { host, body, headers })).json()) as { url: string }
      expect(spoken.url).toBe(`${expected}/audio/${key}.mp3`)
      const asked = ['voices', 'usage', `usage/${key}`, 'usage.csv'].map((path) => ask(`/api/v1/${path}`, { host }))
      asked.push(ask('/api/v1/admin/usage', { host, key: sonant.adminKey }))
      for (const response of await Promise.all(asked)) {
        const text = await response.text()
        const found = [...text.matchAll(/https?:\/\/[^/"]+(?=\/audio)/g)].map(([url]) => url)
        expect(found.filter((url) => url !== expected)).toEqual([])
        expect(text).toContain(`${expected}/audio/`)
        expect(text).not.toMatch(/evil|forwarded/)
      }
      const description = (await (await ask('/openapi.json', { host })).json()) as { servers: unknown }
      expect(description.servers).toEqual([{ url: expected }])
    }
  })

  it('uses it in the answers about a clone', async () => {
    const text = 'The old house on the hill was sold last month, and we are going to visit our friends tomorrow.'
    const { audio } = await sonant.speak({ text, format: 'wav' })
    const form = new FormData()
    form.append('name', 'Mine')
    form.append('file', new Blob([Buffer.from(audio)]), 'mine.wav')
    const hash = new Bun.CryptoHasher('sha256').update(audio).digest('hex')
    const headers = { authorization: `Bearer ${sonant.apiKey}`, host: 'localhost:1234' }
    const made = await fetch(`${sonant.baseUrl}/api/v1/voices/clone`, { method: 'POST', headers, body: form })
    expect(await made.json()).toMatchObject({
      voice: { demo_url: expect.stringMatching(/^http:\/\/localhost:1234\/audio\/demos\/cv-/) },
    })
    for (const [host, expected] of [
      ['localhost:4321', 'http://localhost:4321'],
      ['evil.example', sonant.baseUrl],
    ] as const) {
      const path = `/api/v1/voices/clone/precheck?hash=${hash}`
      expect(await (await ask(path, { host })).json()).toMatchObject({
        own_voice: { demo_url: expect.stringContaining(`${expected}/audio/demos/`) },
      })
      const list = await (await ask('/api/v1/voices', { host })).text()
      expect(list).toContain(`${expected}/audio/demos/cv-`)
    }
  })
})

describe('the first start', () => {
  /** Waits for the ready line and returns all output. */
  async function start(withTerminal: boolean): Promise<{ stdout: string; stderr: string; directory: string }> {
    const directory = await mkdtemp(join(tmpdir(), 'sonant-first-'))
    let terminal = ''
    const env = { PATH: '/usr/bin:/bin' }
    const ready = Promise.withResolvers<void>()
    const options = withTerminal
      ? {
          terminal: {
            data(_: unknown, data: Uint8Array) {
              terminal += Buffer.from(data).toString()
              if (terminal.includes('"ready":true')) ready.resolve()
            },
          },
        }
      : { stdout: 'pipe' as const, stderr: 'pipe' as const }
    const child = Bun.spawn([executable, 'serve', '--port', '0', '--data', 'relative'], {
      cwd: directory,
      env,
      ...options,
    })
    try {
      if (withTerminal) {
        await Promise.race([ready.promise, child.exited])
        return { stdout: terminal, stderr: terminal, directory }
      }
      let stdout = ''
      for await (const chunk of child.stdout as ReadableStream<Uint8Array>) {
        stdout += Buffer.from(chunk).toString()
        if (stdout.includes('\n')) break
      }
      child.kill()
      return { stdout, stderr: await new Response(child.stderr as ReadableStream).text(), directory }
    } finally {
      child.kill()
      await child.exited
      await rm(directory, { recursive: true, force: true })
    }
  }

  it('shows the link and the key in the greeting on a terminal, with the data directory', async () => {
    const { stdout, directory } = await start(true)
    const key = /"api_key":"(sk-\w+)"/.exec(stdout)![1]!
    expect(stdout).toContain(`Your API key, shown this once:  ${key}`)
    expect(stdout).toContain(`Authorization: Bearer ${key}`)
    expect(stdout).toContain(join(directory, 'relative'))
    const [url] = /http:\/\/127\.0\.0\.1:\d+\/console\/setup#\w{43}/.exec(stdout)!
    expect(stdout).toMatch(new RegExp(`Open this link in a browser and choose a password:\\s+${url}\\s`))
    expect(stdout).toContain(`"setup_url":"${url}"`)
  })

  it('shows them in the JSON line only when stderr is no terminal', async () => {
    const { stdout, stderr, directory } = await start(false)
    const { api_key: key, setup_url: url } = JSON.parse(stdout) as { api_key: string; setup_url: string }
    expect(key).toMatch(/^sk-/)
    expect(stderr).not.toContain(key)
    expect(stderr).not.toContain(url.split('#')[1]!)
    expect(stderr).toContain('Open the link in the JSON line on stdout ("setup_url")')
    expect(stderr).toContain('Your API key is in the JSON line on stdout')
    expect(stderr).toContain(join(directory, 'relative'))
  })
})
