/** The proxies of docs/operating.md, run with their examples apart from ports, paths and the certificate. */
import { afterAll, beforeAll, expect, it, setDefaultTimeout } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { operationTimeoutsMs } from '../../src/config'
import { describeWith } from '../tools'
import { examplesRunBy } from './documents'
import { startIn, stopAndRemove, type Sonant } from './sonant'

setDefaultTimeout(120_000)

const document = 'docs/operating.md'
const fixture = (name: string) => join(import.meta.dir, '../fixtures', name)
const tls = { ca: await Bun.file(fixture('tls-cert.pem')).text() }
const base = 'https://speech.example.org'

type Proxy = { readonly url: string; stop(): Promise<void> }

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Waits until the proxy answers. */
async function answering(url: string, child: Bun.Subprocess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the proxy ended with ${child.exitCode}`)
    const answer = await fetch(url, { tls }).catch(() => undefined)
    if (answer) return
    await Bun.sleep(50)
  }
}

function run(command: string[], directory: string, url: string): Promise<Proxy> {
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: directory, XDG_DATA_HOME: directory }
  const child = Bun.spawn(command, { cwd: directory, env, stdout: 'ignore', stderr: 'inherit' })
  const stop = async () => {
    child.kill()
    await child.exited
  }
  return answering(url, child).then(
    () => ({ url, stop }),
    async (error) => {
      await stop()
      throw error
    },
  )
}

async function startNginx(directory: string, sonantPort: string, path = '/'): Promise<Proxy> {
  const [example] = await examplesRunBy(document, 'nginx')
  const port = await freePort()
  const server = example!
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replace(/ssl_certificate +\S+;/, `ssl_certificate ${fixture('tls-cert.pem')};`)
    .replace(/ssl_certificate_key +\S+;/, `ssl_certificate_key ${fixture('tls-key.pem')};`)
    .replace('location / {', `location ${path} {`)
    .replace('127.0.0.1:7788', `127.0.0.1:${sonantPort}${path === '/' ? '' : '/'}`)
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${directory};\n`)
  const config = `daemon off;\nmaster_process off;\npid ${directory}/pid;\nerror_log stderr error;
events {}\nhttp {\naccess_log off;\n${paths.join('')}${server}}\n`
  await Bun.write(join(directory, 'nginx.conf'), config)
  const command = ['nginx', '-p', directory, '-c', join(directory, 'nginx.conf'), '-e', 'stderr']
  return run(command, directory, `https://127.0.0.1:${port}`)
}

async function startCaddy(directory: string, sonantPort: string): Promise<Proxy> {
  const [example] = await examplesRunBy(document, 'caddy')
  const port = await freePort()
  const site = example!
    .replace(
      'speech.example.org {',
      `https://127.0.0.1:${port} {\n    tls ${fixture('tls-cert.pem')} ${fixture('tls-key.pem')}`,
    )
    .replace('127.0.0.1:7788', `127.0.0.1:${sonantPort}`)
  const options = '{\n    admin off\n    auto_https disable_redirects\n    log {\n        level ERROR\n    }\n}\n'
  await Bun.write(join(directory, 'Caddyfile'), options + site)
  const command = ['caddy', 'run', '--config', join(directory, 'Caddyfile'), '--adapter', 'caddyfile']
  return run(command, directory, `https://127.0.0.1:${port}`)
}

const proxies = [
  ['nginx', startNginx],
  ['caddy', startCaddy],
] as const

for (const [name, start] of proxies)
  describeWith(name, `${name} in front, as documented`, () => {
    let sonant: Sonant
    let proxy: Proxy
    let directory: string
    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), `sonant-${name}-`))
      const [command] = await examplesRunBy(document, 'a server behind a proxy')
      const flags = command!.trim().split(' ').slice(2)
      const port = String(await freePort())
      sonant = await startIn(directory, { flags: [...flags, '--port', port, '--limit-voices', '2'] })
      proxy = await start(directory, port)
    })
    afterAll(async () => {
      await proxy?.stop()
      if (sonant) await stopAndRemove(sonant)
      await rm(directory, { recursive: true, force: true })
    })

    const ask = (path: string, init: RequestInit = {}) =>
      fetch(proxy.url + path, {
        ...init,
        headers: { authorization: `Bearer ${sonant.apiKey}`, ...(init.headers as Record<string, string>) },
        tls,
      })

    it('speaks over HTTPS, with addresses of the public name, ranges and pages for browsers', async () => {
      const spoken = await ask('/api/v1/tts', { method: 'POST', body: '{"text":"Hello there.","voice_id":"en-kevin"}' })
      const { url } = (await spoken.json()) as { url: string }
      expect(url).toStartWith(`${base}/audio/`)
      const path = new URL(url).pathname
      const part = await ask(path, { headers: { range: 'bytes=10-19' } })
      expect([part.status, (await part.bytes()).length]).toEqual([206, 10])
      expect((await (await ask('/api/v1/usage.csv')).text()).trim().split('\r\n').length).toBe(2)
      const page = await ask('/', { headers: { accept: 'text/html' } })
      expect(new URL(page.url).pathname).toBe('/console/')
      expect(await page.text()).toContain('<base href="/console/"')
    })

    it('passes a recording of 15 MiB to the service and its answer to the client', async () => {
      const form = new FormData()
      form.append('name', 'Large')
      form.append('file', new Blob([Buffer.alloc(15 << 20)]), 'large.wav')
      const answer = await ask('/api/v1/voices/clone', { method: 'POST', body: form })
      expect([answer.status, await answer.json()]).toEqual([
        400,
        expect.objectContaining({ error: expect.objectContaining({ code: 'unsupported_audio' }) }),
      ])
    })

    it('counts callers without a key by the proxy’s view of their address, not by their own headers', async () => {
      const statuses: number[] = []
      for (const claimed of ['203.0.113.1', '203.0.113.2', '203.0.113.3']) {
        const headers = { 'x-forwarded-for': claimed, 'x-forwarded-host': 'evil.example' }
        const answer = await fetch(`${proxy.url}/api/v1/voices`, { headers, tls })
        statuses.push(answer.status)
        expect(await answer.text()).not.toContain('evil.example')
      }
      expect(statuses).toEqual([200, 200, 429])
    })

    it('waits longer than the longest operation', async () => {
      const [example] = await examplesRunBy(document, name)
      const seconds = [...example!.matchAll(/timeout\s+(\d+)s/g)].map(([, text]) => Number(text))
      // Proxies wait from the last byte of the body on, and packs are uploaded for long, not tested for long.
      const { packUpload: _, ...othersMs } = operationTimeoutsMs
      expect(Math.min(...seconds) * 1000).toBeGreaterThan(Math.max(...Object.values(othersMs)))
    })
  })

describeWith('nginx', 'nginx in front, with the service under a path, as documented', () => {
  it('serves everything under the path, with its addresses', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'sonant-path-'))
    const port = String(await freePort())
    const flags = ['--base-url', 'https://example.org/speech', '--trusted-proxy', '127.0.0.1', '--port', port]
    const sonant = await startIn(directory, { flags })
    try {
      const proxy = await startNginx(directory, port, '/speech/')
      try {
        const headers = { authorization: `Bearer ${sonant.apiKey}` }
        const body = '{"text":"Hello there.","voice_id":"en-kevin"}'
        const spoken = await fetch(`${proxy.url}/speech/api/v1/tts`, { method: 'POST', headers, body, tls })
        const { url } = (await spoken.json()) as { url: string }
        expect(url).toStartWith('https://example.org/speech/audio/')
        expect((await fetch(proxy.url + new URL(url).pathname, { tls })).status).toBe(200)
        const page = await fetch(`${proxy.url}/speech/`, { headers: { accept: 'text/html' }, tls })
        expect(page.url).toBe(`${proxy.url}/speech/console/`)
        const html = await page.text()
        expect(html).toContain('<base href="/speech/console/"')
        const files = [...html.matchAll(/(?:href|src)="\.\/([^"]+)"/g)].map(([, name]) => name!)
        expect(files.length).toBeGreaterThan(1)
        for (const name of files) expect((await fetch(page.url + name, { tls })).status).toBe(200)
      } finally {
        await proxy.stop()
      }
    } finally {
      await stopAndRemove(sonant)
    }
  })
})
