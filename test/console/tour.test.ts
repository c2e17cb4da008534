/**
 * Every page of the console, in light, dark and on a phone: axe finds no serious fault, the browser does not complain, no
 * request leaves the server, and nothing is wider than the screen. With SONANT_PICTURES=FOLDER it writes a picture of each.
 */
import { afterAll, beforeAll, expect, it, setDefaultTimeout } from 'bun:test'
import type { Browser } from 'playwright-core'
import { recordVoice } from '../executable/recordings'
import { startServer, type Server } from '../executable/client'
import { describeWith } from '../tools'
import { administratorId, openChromium, picture, visitAs, type Visit } from './browser'

setDefaultTimeout(120_000)

const looks = [
  { name: 'light', theme: 'light', width: 1280, height: 900 },
  { name: 'dark', theme: 'dark', width: 1920, height: 1080 },
  { name: 'phone', theme: 'light', width: 360, height: 740 },
] as const

const own = ['/', '/speak', '/voices', '/voices/clone', '/keys', '/usage', '/balance', '/account']
const administrative = ['accounts', 'codes', 'voices', 'packs', 'plans', 'usage', 'log', 'system']

const markup = '<b>bold</b> "&" \'</script><script>alert(1)</script>'

/** An account with everything that pages show, with names full of markup. */
async function furnish(server: Server): Promise<string> {
  const { id, key } = await server.makeAccount({ name: markup, balance: 20_000 })
  const speak = (text: string, fields = {}) =>
    server.ask('/api/v1/tts', { key, body: { text, voice_id: 'en-kevin', ...fields } })
  for (const text of ['One.', 'Two, and a little more of it.']) await speak(text)
  await speak('Three.', { format: 'wav', speed: 1.5 })
  const recording = new FormData()
  // A name of a clone has no sign that a name of a file lacks.
  recording.append('name', "&lt;b&gt; 'Ann' & {{Co}}")
  recording.append('file', new Blob([Buffer.from(await recordVoice(server, 'en-kevin'))]), 'voice.wav')
  const headers = { authorization: `Bearer ${key}` }
  const made = await fetch(`${server.baseUrl}/api/v1/voices/clone`, { method: 'POST', body: recording, headers })
  expect(made.status).toBe(200)
  await server.admin('POST', `/accounts/${id}/keys`, { name: markup, cap: 500 })
  await server.admin('POST', '/codes', { units: 1000, count: 3, note: markup })
  await server.admin('POST', '/groups', { name: markup, voices: ['en-ross', 'en-kevin'] })
  await server.admin('POST', `/accounts/${id}/invitations`)
  return id
}

describeWith('chromium', 'every page of the console', () => {
  let server: Server
  let browser: Browser
  let accountId: string
  beforeAll(async () => {
    server = await startServer()
    accountId = await furnish(server)
    browser = await openChromium()
  })
  afterAll(async () => {
    await browser.close()
    await server.stop()
  })

  /** Shows each page in each look. */
  async function tour(visit: Visit, paths: readonly string[]): Promise<void> {
    const { page, go, expectClean } = visit
    for (const path of paths) {
      await go(path)
      await page.waitForFunction(() => document.querySelector('.skeleton') === null)
      for (const { name, theme, width, height } of looks) {
        await page.setViewportSize({ width, height })
        await page.emulateMedia({ colorScheme: theme })
        // The phone has the elements and colours of the first look.
        if (name !== 'phone') await expectClean()
        const widest = await page.evaluate(() => document.documentElement.scrollWidth)
        expect([path, name, widest]).toEqual([path, name, width])
        await picture(visit, `${path.replace(/\W+/g, '-').replace(/^-|-$/g, '') || 'overview'}-${name}`)
      }
    }
  }

  it('is readable, clean and fits the screen for a customer', async () => {
    const visit = await visitAs(browser, server, accountId)
    await tour(visit, own)
    await visit.close()
  })

  it('is readable, clean and fits the screen for an administrator', async () => {
    const visit = await visitAs(browser, server, await administratorId(server))
    await tour(visit, [...administrative.map((name) => `/admin/${name}`), `/admin/accounts/${accountId}`])
    await visit.close()
  })

  it('has no page of an administrator for a customer', async () => {
    const { page, go, close } = await visitAs(browser, server, accountId)
    for (const name of administrative) {
      await go(`/admin/${name}`)
      expect(await page.locator('h1').textContent()).toBe('There is no such page.')
    }
    await close()
  })
})
