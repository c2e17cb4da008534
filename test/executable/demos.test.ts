/** The demos of the catalogue, rendered by the executable in the background. */
import { expect, it } from 'bun:test'
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

it('all appear without a request, and stay the same files after a restart', async () => {
  const first = await startSonant({ demos: true })
  const { voices } = (await (await first.request('/api/v1/voices')).json()) as { voices: { demo_url: string }[] }
  const names = voices.map(({ demo_url }) => demo_url.slice(`${first.storageUrl}/demos/`.length))
  await waitFor(first, names)
  expect((await readdir(pathOf(first, ''))).sort()).toEqual(names.toSorted())
  await first.stop()

  const last = names.at(-1)!
  const modified = () => Promise.all(names.map(async (name) => (await stat(pathOf(first, name))).mtimeMs))
  const before = await modified()
  await rm(pathOf(first, last))
  const again = await startIn(first.directory, { apiKey: first.apiKey, demos: true })
  // The server checks them in the order of the list: once the last one is back, all others have passed.
  await waitFor(again, [last])
  expect((await modified()).slice(0, -1)).toEqual(before.slice(0, -1))
  await stopAndRemove(again)
})
