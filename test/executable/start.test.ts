/** First, second and failed starts of the executable on one data directory. */
import { afterEach, describe, expect, it } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { runSonant, startIn, startSonant, stopAndRemove, type Sonant } from './sonant'

const started: Sonant[] = []
afterEach(async () => {
  for (const sonant of started.splice(0)) await stopAndRemove(sonant)
})

async function start(): Promise<Sonant> {
  const sonant = await startSonant()
  started.push(sonant)
  return sonant
}

const longText = 'This is one of many sentences that together take a while to speak. '.repeat(29)

describe('a data directory', () => {
  it('belongs to one server at a time; a second one says who holds it, ends with 2 and harms nothing', async () => {
    const sonant = await start()
    const running = sonant.request('/api/v1/tts', { body: { text: longText } })
    await Bun.sleep(100)
    const data = join(sonant.directory, 'data')
    const { exitCode, stdout, stderr } = runSonant(['serve', '--port', '0', '--data', data])
    expect([exitCode, stdout]).toEqual([2, ''])
    expect(stderr).toContain(`in use by process ${sonant.process.pid}`)
    expect((await running).status).toBe(200)
  })

  it('is free again after SIGKILL', async () => {
    const sonant = await start()
    sonant.process.kill('SIGKILL')
    await sonant.process.exited
    const again = await startIn(sonant.directory, { apiKey: sonant.apiKey })
    expect((await again.request('/api/v1/tts', { body: { text: 'Hello.' } })).status).toBe(200)
    await again.stop()
  })

  it('gets its key at the first start that succeeds, not at one that failed', async () => {
    const sonant = await start()
    const { port } = new URL(sonant.baseUrl)
    const other = join(sonant.directory, 'other')
    expect(runSonant(['serve', '--port', port, '--data', join(other, 'data')]).exitCode).toBe(1)
    const first = await startIn(other)
    expect(first.apiKey).toMatch(/^sk-/)
    expect((await first.request('/api/v1/tts', { body: { text: 'Hello.' } })).status).toBe(200)
    await first.stop()
  })
})

describe('SIGTERM', () => {
  it('waits for a request that had begun, though its client has left', async () => {
    const sonant = await start()
    await sonant.speak({ text: 'Hello.' })
    const leaving = new AbortController()
    const request = fetch(`${sonant.baseUrl}/api/v1/tts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sonant.apiKey}` },
      body: JSON.stringify({ text: longText }),
      signal: leaving.signal,
    }).catch(() => undefined)
    await Bun.sleep(200)
    leaving.abort()
    await request
    expect(await sonant.stop()).toBe(0)
    const files = (await readdir(join(sonant.directory, 'data/audio'))).filter((name) => name !== 'demos')
    expect(files.filter((name) => name.endsWith('.part'))).toEqual([])
    expect(files.length).toBe(2)
  })
})
