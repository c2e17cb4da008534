/**
 * The first page of the console in Chromium, signed in and without a cache: the bytes that it loads, and the time from the
 * navigation until its first control can be used. The reference is a page with one button of a bare server.
 */
import { chromium, type Browser } from 'playwright-core'
import { startUntilReady } from './process'
import { untilQuiet } from './quiet'
import { type BenchRow, median, printTable } from './report'
import { executable } from './server'

const rounds = 9
const sizeKilobytesMax = 300
const interactiveMsMax = 1000
const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking']

export async function benchConsole(): Promise<BenchRow[]> {
  const { child, ready } = await startUntilReady([await executable(), 'serve', '--ephemeral'])
  const bare = Bun.serve({
    port: 0,
    fetch: () =>
      new Response('<!doctype html><h1>Bare</h1><button>Go</button>', { headers: { 'content-type': 'text/html' } }),
  })
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args })
  try {
    const cookie = await signIn(ready.base_url, ready.admin_key!)
    const consoleMs: number[] = []
    const bareMs: number[] = []
    let sizeBytes = 0
    await untilQuiet()
    for (let round = -1; round < rounds; round++) {
      const reference = await open(browser, bare.url.href, undefined)
      const opened = await open(browser, `${ready.base_url}/console/`, cookie)
      // The first round only loads the browser and the files.
      if (round < 0) continue
      bareMs.push(reference.interactiveMs)
      consoleMs.push(opened.interactiveMs)
      sizeBytes = opened.sizeBytes
    }
    const value = median(consoleMs)
    const reference = median(bareMs)
    const size = { name: 'console: first page, compressed', value: sizeBytes / 1e3, unit: 'kB' }
    const time = { name: 'console: navigation to interactive', value, unit: 'ms' }
    return [
      { ...size, reference: null, ratio: null, goal: null, most: sizeKilobytesMax },
      { ...time, reference: null, ratio: null, goal: null, most: interactiveMsMax },
      { ...time, name: 'the same against a bare page', reference, ratio: value / reference, goal: null },
    ]
  } finally {
    await browser.close()
    await bare.stop(true)
    child.kill()
    await child.exited
  }
}

/** An administrator joins by an invitation; returns the cookie of the session. */
async function signIn(baseUrl: string, adminKey: string): Promise<string> {
  const headers = { authorization: `Bearer ${adminKey}` }
  const { items } = (await (await fetch(`${baseUrl}/api/v1/admin/accounts`, { headers })).json()) as {
    items: { id: string; role: string }[]
  }
  const { id } = items.find(({ role }) => role === 'admin')!
  const path = `${baseUrl}/api/v1/admin/accounts/${id}/invitations`
  const { url } = (await (await fetch(path, { method: 'POST', headers })).json()) as { url: string }
  const accepted = await fetch(`${baseUrl}/api/v1/invitations/accept`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: baseUrl },
    body: JSON.stringify({
      token: url.split('#')[1],
      email: 'ada@example.org',
      password: 'a long password',
      name: 'Ada',
    }),
  })
  return accepted.headers.getSetCookie()[0]!.split(';')[0]!
}

/** Opens the page in a new context. Its first control can be used as soon as it is there: pages draw with their code. */
async function open(browser: Browser, url: string, cookie: string | undefined) {
  const context = await browser.newContext()
  try {
    const [name, value] = cookie?.split('=') ?? []
    if (name && value) await context.addCookies([{ name, value, url }])
    const page = await context.newPage()
    const startedAtMs = performance.now()
    await page.goto(url, { waitUntil: 'commit' })
    await page.locator('h1').first().waitFor()
    await page.locator('button, main a').first().waitFor()
    const interactiveMs = performance.now() - startedAtMs
    await page.waitForLoadState('networkidle')
    const sizes = await page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .concat(performance.getEntriesByType('navigation'))
        .map((entry) => (entry as PerformanceResourceTiming).transferSize),
    )
    return { interactiveMs, sizeBytes: sizes.reduce((sum, size) => sum + size, 0) }
  } finally {
    await context.close()
  }
}

if (import.meta.main) printTable(await benchConsole())
