/** The demos of the catalogue, rendered by the executable in the background. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { startIn, startSonant, stopAndRemove, type Sonant } from './sonant'

const pathOf = (sonant: Sonant, name: string) => join(sonant.directory, 'data/audio/demos', name)

async function waitFor(sonant: Sonant, names: string[]): Promise<void> {
  const endAtMs = Date.now() + 60_000
  for (;;) {
    const found = new Set(await readdir(pathOf(sonant, '')))
    const missing = names.filter((name) => !found.has(name))
    if (missing.length === 0) return
    if (Date.now() > endAtMs) throw new Error(`not made within a minute: ${missing.join(', ')}`)
    await Bun.sleep(100)
  }
}

/** The demos, fetched four at a time: on a busy machine there is no place for 78 renderings at once. */
async function fetchDemos(sonant: Sonant, names: readonly string[]): Promise<Map<string, Uint8Array>> {
  const demos = new Map<string, Uint8Array>()
  const left = [...names]
  const fetchRest = async () => {
    for (let name = left.pop(); name; name = left.pop()) {
      const response = await fetch(`${sonant.storageUrl}/demos/${name}`)
      expect([name, response.status, response.headers.get('content-type')]).toEqual([name, 200, 'audio/mpeg'])
      demos.set(name, await response.bytes())
    }
  }
  await Promise.all([1, 2, 3, 4].map(fetchRest))
  return demos
}

describe('the demos', () => {
  let sonant: Sonant
  let names: string[]
  let demos: ReadonlyMap<string, Uint8Array>
  beforeAll(async () => {
    sonant = await startSonant({ demos: true })
    const { voices } = (await (await sonant.request('/api/v1/voices')).json()) as { voices: { demo_url: string }[] }
    names = voices.map(({ demo_url }) => demo_url.slice(`${sonant.storageUrl}/demos/`.length))
  })
  afterAll(() => stopAndRemove(sonant))

  it('all appear without a request', async () => {
    await waitFor(sonant, names)
    expect((await readdir(pathOf(sonant, ''))).sort()).toEqual(names.toSorted())
  })

  it('play, of every voice', async () => {
    demos = await fetchDemos(sonant, names)
    expect(demos.size).toBe(names.length)
    // A second at 64 kbit/s has 8000 bytes.
    expect(Math.min(...[...demos.values()].map(({ length }) => length))).toBeGreaterThan(8000)
  })

  it('stay the same files after a restart, and have the same bytes again when they were missing', async () => {
    await sonant.stop()
    const last = names.at(-1)!
    const asked = names.slice(0, 6)
    const kept = names.slice(6, -1)
    const modified = () => Promise.all(kept.map(async (name) => (await stat(pathOf(sonant, name))).mtimeMs))
    const before = await modified()
    for (const name of [...asked, last]) await rm(pathOf(sonant, name))
    sonant = await startIn(sonant.directory, { apiKey: sonant.apiKey, demos: true })
    // A request renders the demo, or waits for the background to do so.
    for (const [name, bytes] of await fetchDemos(sonant, asked)) expect([name, bytes]).toEqual([name, demos.get(name)!])
    // The server checks them in the order of the list: once the last one is back, all others have passed.
    await waitFor(sonant, [last])
    expect(await modified()).toEqual(before)
  })
})
