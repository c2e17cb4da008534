/** A day of an administrator: accounts, codes, the order of the voices, plans and packs. */
import { afterAll, beforeAll, expect, it, setDefaultTimeout } from 'bun:test'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { startServer, type Server } from '../executable/client'
import { piperConfig, writePiperPack } from '../onnx/piper'
import { tonesModel } from '../onnx/tones'
import { addPiperVoices, startHub, type HubServer } from '../packs/hub/hub-server'
import { describeWith } from '../tools'
import { administratorId, openChromium, visitAs, type Visit } from './browser'

setDefaultTimeout(120_000)

describeWith('chromium', 'the console of an administrator', () => {
  let hub: HubServer
  let server: Server
  let browser: Browser
  let visit: Visit
  let page: Page
  beforeAll(async () => {
    hub = startHub()
    addPiperVoices(hub, [{ key: 'en_US-amy-low', graph: new Uint8Array(tonesModel()), config: piperConfig() }])
    server = await startServer(['--hub', hub.url])
    browser = await openChromium()
    visit = await visitAs(browser, server, await administratorId(server))
    page = visit.page
  })
  afterAll(async () => {
    await browser.close()
    await server.stop()
    await hub.stop()
  })

  const button = (name: string, within: Page | Locator = page) => within.getByRole('button', { name, exact: true })
  const dialog = () => page.locator('dialog[open]')
  const card = (title: string) => page.getByRole('region', { name: title, exact: true })

  it('makes an account with a key, sees it refuse while it is disabled, and erases it', async () => {
    await visit.go('/admin/accounts')
    await button('New account').click()
    await page.getByLabel('Name').fill('Reading <b>app</b>')
    await page.getByLabel('Characters to begin with').fill('1000')
    await button('Create the account', dialog()).click()
    await page.getByRole('heading', { level: 1, name: 'Reading <b>app</b>' }).waitFor()
    const id = new URL(page.url()).pathname.split('/').at(-1)!

    await page.getByLabel('What to do').selectOption('take')
    await page.getByLabel('Characters').fill('2000')
    await page.getByText('The account has only 1,000.').waitFor()
    await page.getByLabel('Characters').fill('200')
    await page.getByText('The balance goes from 1,000 to 800.').waitFor()
    await page.getByLabel('Reason').fill('a correction')
    await button('Change the balance').click()
    await page.getByText('The balance is 800 now.').waitFor()

    await button('Create a key').click()
    await dialog().getByLabel('Name').fill('server')
    await button('Create a key', dialog()).click()
    const key = (await dialog().locator('.secret').textContent())!
    await button('Done', dialog()).click()
    const speak = () => server.ask('/api/v1/tts', { key, body: { text: 'Hi.', voice_id: 'en-kevin' } })
    expect((await speak()).status).toBe(200)

    const user = await visitAs(browser, server, id)
    await user.go('/keys')
    await button('Disable').click()
    await dialog().getByText('All its keys are refused').waitFor()
    await button('Disable', dialog()).click()
    await page.getByText('This account is disabled').waitFor()
    const refused = await speak()
    expect([refused.status, refused.body.error.code]).toEqual([403, 'account_disabled'])
    await user.page.reload()
    await user.page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await user.close()
    await button('Enable').click()
    await page.getByText('The account is enabled.').waitFor()
    expect((await speak()).status).toBe(200)

    await button('Erase …').click()
    await dialog().getByLabel('Type the name').fill('Reading app')
    expect(await button('Erase for good', dialog()).isDisabled()).toBe(true)
    await dialog().getByLabel('Type the name').fill('Reading <b>app</b>')
    await button('Erase for good', dialog()).click()
    await page.getByText('This account was erased').waitFor()
    expect((await speak()).status).toBe(401)
  })

  it('makes codes, saves them as CSV, and voids one', async () => {
    await visit.go('/admin/codes')
    await button('New codes').click()
    await page.getByLabel('Characters per code').fill('500')
    await page.getByLabel('How many').fill('2')
    await page.getByLabel('Note').fill('a "fair", in spring')
    await button('Make the codes').click()
    const saved = page.waitForEvent('download')
    await button('Save as CSV').click()
    const [head, ...lines] = (await readFile(await (await saved).path(), 'utf8')).trimEnd().split('\r\n')
    const codes = (await page.locator('.made-codes').textContent())!.trim().split('\n')
    expect(head).toBe('code,units,expires_at,note')
    expect(lines).toEqual(codes.map((code) => `${code},500,,"a ""fair"", in spring"`))
    await button('Done').click()

    const row = page.getByRole('row').filter({ hasText: codes[0]!.slice(-4) })
    await row.getByRole('button', { name: /^Void: / }).click()
    await button('Void', dialog()).click()
    await row.getByText('Void', { exact: true }).waitFor()
    const activate = (code: string) => server.ask('/api/v1/activation', { body: { code } })
    expect([(await activate(codes[0]!)).status, (await activate(codes[1]!)).status]).toEqual([400, 200])
  })

  it('orders the voices with the keyboard and the pointer, and users get that order', async () => {
    await visit.go('/admin/voices')
    for (const name of ['Kevin', 'Clara', 'Ruth']) {
      await button(`Feature ${name}`).click()
      await page.getByText(`${name} is changed.`).waitFor()
    }
    const firstVoices = async () => {
      const { voices } = (await server.ask('/api/v1/voices', { key: null })).body
      return voices.slice(0, 3).map(({ id }: { id: string }) => id)
    }
    expect(await firstVoices()).toEqual(['en-kevin', 'en-clara', 'en-ruth'])

    await button('Move Ruth up').press('Enter')
    await page.getByText('Ruth is number 2 now.').waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('Ruth is number 1 now.').waitFor()
    expect(await firstVoices()).toEqual(['en-ruth', 'en-kevin', 'en-clara'])
    expect(await page.evaluate(() => document.activeElement?.ariaLabel)).toBe('Move Ruth down')

    const rows = page.locator('[data-list=featured] > li')
    await drag(rows.nth(2), rows.nth(0))
    await page.getByText('Clara is number 1 now.').waitFor()
    expect(await firstVoices()).toEqual(['en-clara', 'en-ruth', 'en-kevin'])
    await rows.nth(0).getByText('Default voice').waitFor()
  })

  it('puts a refused change of a voice back, and shows the one of another administrator', async () => {
    await visit.go('/admin/voices')
    const isActive = page.getByRole('checkbox', { name: 'Ivy can be used' })
    await page.route('**/api/v1/admin/voices/en-ivy', (route) =>
      route.fulfill({ status: 500, json: { error: { code: 'internal_error', message: 'Broken.' } } }),
    )
    await server.admin('PATCH', '/voices/en-walter', { display_name: 'Walter of Leeds' })
    await isActive.click()
    await page.getByText('Something failed in the server.').waitFor()
    await page.getByText('Walter of Leeds', { exact: true }).waitFor()
    expect(await isActive.isChecked()).toBe(true)
    await page.unroute('**/api/v1/admin/voices/en-ivy')
  })

  it('fills a plan, and says which account keeps it from being deleted', async () => {
    await visit.go('/admin/plans')
    await button('New plan').click()
    await dialog().getByLabel('Name').fill('starter')
    await button('Create the plan', dialog()).click()
    await button('Put Kevin into the plan').click()
    await page.getByText('Kevin is in the plan.').waitFor()
    const outside = page.locator('[data-list=outside] > li')
    await drag(outside.filter({ hasText: 'en-ruth' }), page.locator('[data-list=inside] > li').first())
    await page.getByText('Ruth is in the plan.').waitFor()
    const { key } = await server.makeAccount({ name: 'Ann & Co', group: 'starter' })
    const { voices } = (await server.ask('/api/v1/voices', { key })).body
    expect(voices.map(({ id }: { id: string }) => id).sort()).toEqual(['en-kevin', 'en-ruth'])
    await button('Delete').click()
    await button('Delete', dialog()).click()
    await dialog().getByText('(Ann & Co)').waitFor()
    await visit.expectClean()
    await button('Cancel', dialog()).click()
  })

  it('finds a pack on the hub, shows its licence, installs it, and removes it', async () => {
    const stalled = Promise.withResolvers<undefined>()
    hub.faults.set('en_US-amy-low.onnx', () => stalled.promise)
    await visit.go('/admin/packs')
    await page.getByLabel('What to look for').fill('en_US')
    const install = async () => {
      await button('Install piper/en_US-amy-low').click()
      await dialog().getByText('CC BY 4.0', { exact: true }).waitFor()
      await button('Install', dialog()).click()
    }
    await install()
    await page.getByText(/^\d.*B of \d.*B$/).waitFor()
    await visit.expectClean()
    await button('Cancel the installation of piper/en_US-amy-low').click()
    await page.getByText('The installation is cancelled.').waitFor()
    stalled.resolve(undefined)
    await install()
    const pack = card('piper-en_US-amy-low')
    await pack.getByText('Ready', { exact: true }).waitFor()
    expect((await server.ask('/api/v1/voices', { key: null })).text).toContain('en-us-amy-low')
    await button('Remove piper-en_US-amy-low').click()
    await button('Remove', dialog()).click()
    await pack.waitFor({ state: 'detached' })
    expect((await server.ask('/api/v1/voices', { key: null })).text).not.toContain('en-us-amy-low')
  })

  it('makes a pack of an uploaded folder, and says why files or the model cannot be one', async () => {
    await visit.go('/admin/packs')
    const folder = await mkdtemp(join(tmpdir(), 'sonant-pack-'))
    const pack = join(folder, 'My voice')
    await writePiperPack(pack, { name: 'mine', model: tonesModel({ brokenBy: 1 }), config: piperConfig() })
    await Bun.write(join(pack, '.DS_Store'), 'x')
    await page.locator('input[type=file]').nth(1).setInputFiles(join(pack, 'mine.onnx.json'))
    await page.getByText('A pack needs a model').waitFor()
    await button('Cancel').click()
    await page.locator('.drop-zone').evaluate((zone) => {
      const dropped = new DataTransfer()
      dropped.items.add(new File(['{}'], 'dropped.onnx.json'))
      zone.dispatchEvent(new DragEvent('drop', { dataTransfer: dropped, bubbles: true }))
    })
    await page.getByText('1 file, 2 B').waitFor()
    await button('Cancel').click()
    await page.locator('input[type=file]').nth(0).setInputFiles(pack)
    expect(await page.getByLabel('Name of the pack').inputValue()).toBe('My-voice')
    await page.getByLabel('Name of the pack').fill('my_voice')
    await visit.expectClean()
    await button('Upload').click()
    await card('my_voice').getByText('samples that are not finite').waitFor()
    await page.locator('input[type=file]').nth(0).setInputFiles(pack)
    await page.getByLabel('Name of the pack').fill('my_voice')
    await button('Upload').click()
    await page.getByText('there is a pack "my_voice" already').waitFor()
    await rm(folder, { recursive: true })
  })

  /** Drags a row by its handle to the place of another one. */
  async function drag(row: Locator, target: Locator): Promise<void> {
    await row.scrollIntoViewIfNeeded()
    const from = (await row.locator('.drag-handle').boundingBox())!
    const to = (await target.boundingBox())!
    const [x, y] = [from.x + from.width / 2, from.y + from.height / 2]
    await page.mouse.move(x, y)
    await page.mouse.down()
    await page.mouse.move(x + 4, y - 12, { steps: 4 })
    await page.mouse.move(to.x + 20, to.y + 6, { steps: 10 })
    await page.mouse.up()
  }
})
