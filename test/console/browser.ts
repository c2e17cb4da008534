/** Chromium without network for the tests of the console: visits of people, what the browser complained about, and axe. */
import { join as joinPath } from 'node:path'
import { expect } from 'bun:test'
import axe from 'axe-core'
import { chromium, type Browser, type Page } from 'playwright-core'
import type { Server } from '../executable/client'
import { cookieName, join } from '../executable/people-client'
import { until } from '../until'

const executablePath = '/usr/bin/chromium'
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-background-networking',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
]
/** A busy machine takes seconds for a page. */
const timeoutMs = 60_000

/** `microphone`: a WAV file that the microphone of the browser hears. */
export function openChromium({ microphone }: { microphone?: string } = {}): Promise<Browser> {
  const fake = ['--use-fake-ui-for-media-stream', '--use-fake-device-for-media-stream']
  const args = microphone ? [...flags, ...fake, `--use-file-for-fake-audio-capture=${microphone}`] : flags
  return chromium.launch({ executablePath, args: [...args, '--autoplay-policy=no-user-gesture-required'] })
}

type Look = {
  readonly theme?: 'light' | 'dark'
  readonly width?: number
  readonly height?: number
  readonly language?: string
}

export type Visit = {
  readonly page: Page
  /** Opens a page of the console, such as `/voices`. */
  go(path: string): Promise<void>
  /** Fails if the browser complained, asked another origin, or if axe finds a serious fault in what is shown now. */
  expectClean(): Promise<void>
  close(): Promise<void>
}

/** A visit without a session. */
export async function visit(browser: Browser, server: Server, look: Look = {}): Promise<Visit> {
  const { theme = 'light', width = 1280, height = 900, language = 'en-US' } = look
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    locale: language,
    // axe would see colours on their way from one theme to the other.
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(timeoutMs)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.baseUrl })
  const page = await context.newPage()
  const complaints: string[] = []
  const elsewhere: string[] = []
  page.on('pageerror', ({ message }) => complaints.push(message))
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return
    // The browser reports each refusal of the interface; that they reach the person is for each test to see.
    if (/^Failed to load resource/.test(message.text()) && message.location().url.includes('/api/v1/')) return
    complaints.push(message.text())
  })
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(`${server.baseUrl}/`) && !/^(data|blob):/.test(url)) elsewhere.push(url)
  })
  return {
    page,
    async go(path) {
      await page.goto(`${server.baseUrl}/console${path}`)
      await page.locator('h1').first().waitFor()
    },
    async expectClean() {
      expect(complaints).toEqual([])
      expect(elsewhere).toEqual([])
      expect(await findFaults(page)).toEqual([])
    },
    close: () => context.close(),
  }
}

/** A visit of a person who joined the account just now. */
export async function visitAs(browser: Browser, server: Server, accountId: string, look: Look = {}): Promise<Visit> {
  const { browser: person } = await join(server, accountId)
  const opened = await visit(browser, server, look)
  const cookie = { name: cookieName, value: person.cookie()!, url: server.baseUrl, httpOnly: true }
  await opened.page.context().addCookies([{ ...cookie, sameSite: 'Strict' as const }])
  return opened
}

/** The id of the account of the server's administrator key. */
export async function administratorId(server: Server): Promise<string> {
  const { items } = await server.admin('GET', '/accounts')
  return items.find(({ role }: { role: string }) => role === 'admin').id
}

/** Serious faults of accessibility, each with the elements that have it. */
async function findFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const violations = await page.evaluate(async () => {
    const { violations } = await (window as unknown as { axe: typeof axe }).axe.run(document, {
      resultTypes: ['violations'],
    })
    return violations.map(({ id, impact, nodes }) => ({
      id,
      impact,
      targets: nodes.map(({ html }) => html.slice(0, 200)),
    }))
  })
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, targets }) => `${id}: ${targets.join(' | ')}`)
}

/** Fails unless an audio element of the page plays on, and what it plays can be decoded and is not silent. */
export async function expectSound({ page }: Pick<Visit, 'page'>): Promise<void> {
  let url: string | undefined
  await until(async () => {
    url = await page.evaluate(
      () => [...document.querySelectorAll('audio')].find((audio) => audio.currentTime > 0.2)?.src,
    )
    return url !== undefined
  })
  const { seconds, level } = await page.evaluate(async (url) => {
    const context = new OfflineAudioContext(1, 1, 44_100)
    const sound = await context.decodeAudioData(await (await fetch(url)).arrayBuffer())
    const samples = sound.getChannelData(0)
    const energy = samples.reduce((sum, sample) => sum + sample * sample, 0)
    return { seconds: sound.duration, level: Math.sqrt(energy / samples.length) }
  }, url!)
  expect(seconds).toBeGreaterThan(0.3)
  expect(level).toBeGreaterThan(0.01)
}

/** Writes a picture of the page, if SONANT_PICTURES names a folder. */
export async function picture({ page }: Visit, name: string): Promise<void> {
  const folder = process.env['SONANT_PICTURES']
  if (folder) await page.screenshot({ path: joinPath(folder, `${name}.png`) })
}
