/**
 * Makes the pictures of `docs/console.md`: starts the executable on a new data directory, follows the setup link in
 * Chromium, works a little, and photographs the pages. Run it after a change of looks.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { startUntilReady } from './bench/process'
import { build } from './build'
import { root } from './run'

const folder = join(root, 'docs/pictures')
const sentences = [
  'Good morning. The library opens at nine today.',
  'Platform four: the train to Bristol is five minutes late.',
  'Your order of 24 cups has been sent, and arrives on Tuesday.',
]

const directory = await mkdtemp(join(tmpdir(), 'sonant-pictures-'))
const command = [await build(), 'serve', '--port', '0', '--data', join(directory, 'data')]
const { child, ready } = await startUntilReady(command)
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] })
try {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: 'light' })
  const page = await context.newPage()
  await page.goto(ready.setup_url!)
  await page.getByLabel('Your name').fill('Ada Lovelace')
  await page.getByLabel('E-mail address').fill('ada@example.org')
  await page.getByLabel('New password').fill('a sentence that is long')
  await photograph(page, 'setup')
  await page.getByRole('button', { name: 'Begin' }).click()
  await page.getByRole('button', { name: 'Hear it' }).waitFor()
  await photograph(page, 'first-sentence')
  await furnish(ready.base_url, ready.api_key!)
  const open = async (path: string) => {
    await page.goto(`${ready.base_url}/console${path}`)
    await page.locator('h1').waitFor()
    await page.waitForLoadState('networkidle')
  }
  await open('/')
  await photograph(page, 'overview')
  await open('/speak')
  await page.getByRole('button', { name: 'Speak', exact: true }).click()
  await page.locator('.player-time').first().waitFor()
  await page.waitForLoadState('networkidle')
  await photograph(page, 'playground')
  for (const name of ['voices', 'keys', 'usage', 'balance']) {
    await open(`/${name}`)
    await photograph(page, name)
  }
  await open('/voices/clone')
  await photograph(page, 'clone')
  for (const name of ['accounts', 'voices', 'plans', 'system']) {
    await open(`/admin/${name}`)
    await photograph(page, `admin-${name}`)
  }
  await page.emulateMedia({ colorScheme: 'dark' })
  await open('/')
  await photograph(page, 'overview-dark')
  await page.emulateMedia({ colorScheme: 'light' })
  await page.evaluate(() => localStorage.setItem('sonant-language', 'zh'))
  await open('/')
  await photograph(page, 'overview-chinese')
  await page.evaluate(() => localStorage.setItem('sonant-language', 'en'))
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize({ width: 390, height: 800 })
  await open('/speak')
  await photograph(page, 'playground-phone')
} finally {
  await browser.close()
  child.kill()
  await child.exited
  await rm(directory, { recursive: true })
}

async function photograph(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(folder, `${name}.png`) })
}

/** Makes customers, a plan and a few requests, so that the pages have something to show. */
async function furnish(baseUrl: string, key: string): Promise<void> {
  const call = (method: string) => async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const answer = await fetch(`${baseUrl}/api/v1${path}`, { method, headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`)
    return (await answer.json()) as { id: string }
  }
  const [post, patch] = [call('POST'), call('PATCH')]
  for (const text of sentences) await post('/tts', { text })
  const plan = await post('/admin/groups', { name: 'Railway', voices: ['en-heart', 'en-ross', 'zh-mei'] })
  for (const name of ['City library', 'Bristol Temple Meads', 'Corner shop'])
    await post('/admin/accounts', { name, balance: 50_000, group: name.startsWith('Bristol') ? plan.id : null })
  for (const id of ['en-heart', 'zh-mei', 'en-ross']) await patch(`/admin/voices/${id}`, { featured: true })
  await post('/keys', { name: 'Announcements', cap: 20_000 })
  await post('/keys', { name: 'Website' })
}
