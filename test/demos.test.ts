/** The demos of the catalogue in the whole server. */
import { expect, it } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { startApp } from './app'

it('are rendered by an ephemeral server on their first request only', async () => {
  const { app, baseUrl, dataDirectory, close } = await startApp()
  const demos = () => readdir(join(dataDirectory, 'audio/demos'))
  try {
    await app.startBackground()
    expect(await demos()).toEqual([])
    const { voices } = (await (await fetch(`${baseUrl}/api/v1/voices`)).json()) as { voices: { demo_url: string }[] }
    const { demo_url: url } = voices[0]!
    const demo = await fetch(url)
    expect(demo.status).toBe(200)
    expect((await demo.bytes()).length).toBeGreaterThan(1000)
    expect(await demos()).toEqual([url.slice(url.lastIndexOf('/') + 1)])
  } finally {
    await close()
  }
})
