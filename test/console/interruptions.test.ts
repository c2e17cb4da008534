/** What happens to open pages when something else happens meanwhile: in another tab, to the session, to the server. */
import { afterAll, beforeAll, expect, it, setDefaultTimeout } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { startServer, type Server } from '../executable/client'
import { join, password, tokenOf } from '../executable/people-client'
import { describeWith } from '../tools'
import { administratorId, openChromium, visit, visitAs } from './browser'

setDefaultTimeout(120_000)

/** Longer than every interval at which pages ask again. */
const longMs = 120_000

describeWith('chromium', 'pages of the console that are open meanwhile', () => {
  let server: Server
  let browser: Browser
  beforeAll(async () => {
    server = await startServer()
    browser = await openChromium()
  })
  afterAll(async () => {
    await browser.close()
    await server.stop()
  })

  /** Counts the requests of the page that match. */
  function countRequests(page: Page, path: string) {
    let count = 0
    page.on('request', (request) => void (new URL(request.url()).pathname === path && count++))
    return () => count
  }

  it('lets nobody else pay for, or see, the text that is being spoken', async () => {
    const [first, second] = [await server.makeAccount({ balance: 9000 }), await server.makeAccount({ balance: 9000 })]
    const { page, go, close } = await visitAs(browser, server, first.id)
    const part = Promise.withResolvers<void>()
    await page.route('**/api/v1/tts', async (route) => {
      await part.promise
      const json = { ok: true, request_id: 'r', url: `${server.baseUrl}/audio/r.mp3`, units: 1, remaining: 1 }
      await route.fulfill({ json })
    })
    const spoken = countRequests(page, '/api/v1/tts')
    await go('/speak?voice=en-kevin')
    await page.getByRole('textbox').fill('Mine alone. '.repeat(250))
    const sent = page.waitForRequest('**/api/v1/tts')
    await page.getByRole('button', { name: 'Speak', exact: true }).click()
    await sent

    const { email } = await join(server, second.id)
    const other = await page.context().newPage()
    await other.goto(`${server.baseUrl}/console/keys`)
    await other.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
    await other.getByLabel('E-mail address').fill(email)
    await other.getByLabel('Password').fill(password)
    await other.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Another person is signed in', { exact: false }).waitFor()
    const answered = page.waitForResponse('**/api/v1/tts')
    part.resolve()
    await answered
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('link', { name: 'Playground' }).click()
    await page.getByRole('textbox').waitFor()
    expect(await page.getByText('Mine alone.').count()).toBe(0)
    expect(spoken()).toBe(1)
    expect((await server.ask('/api/v1/usage', { key: second.key })).body.records).toEqual([])
    await close()
  })

  it('waits for a slow answer, asks nothing after the session has ended, and shows data after signing in', async () => {
    const { id } = await server.makeAccount({ balance: 4711 })
    const { browser: elsewhere, email } = await join(server, id)
    const { page, go, close } = await visit(browser, server)
    await page.clock.install()
    await go('/')
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password').fill(password)
    const answer = Promise.withResolvers<void>()
    await page.route('**/api/v1/status', async (route) => {
      await answer.promise
      await route.continue()
    })
    const asked = countRequests(page, '/api/v1/status')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('4,711').first().waitFor()
    await page.clock.runFor(longMs)
    expect(asked()).toBe(1)
    await elsewhere.ask('/api/v1/sessions', { method: 'DELETE' })
    answer.resolve()
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.waitFor()
    await page.clock.runFor(longMs)
    expect(asked()).toBe(1)
    await dialog.getByLabel('Password').fill(password)
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('No request waits.').waitFor()
    expect(asked()).toBe(2)
    await close()
  })

  it('keeps the focus, the days and the refusals that dialogs leave behind', async () => {
    const { id } = await server.makeAccount()
    const { page, go, expectClean, close } = await visitAs(browser, server, id)
    await go('/voices')
    await page.getByRole('link', { name: 'API keys' }).click()
    const create = page.getByRole('button', { name: 'Create a key' })
    await create.click()
    const day = page.getByLabel('Last day')
    await day.fill('12026-01-01')
    await day.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await create.evaluate((button) => button === document.activeElement)).toBe(true)

    const refusal = Promise.withResolvers<void>()
    await page.route('**/api/v1/keys/*', async (route) => {
      await refusal.promise
      const error = { code: 'conflict', message: 'Another tab was faster.', param: null }
      await route.fulfill({ status: 409, json: { ok: false, error } })
    })
    await page.getByRole('button', { name: /^Delete: / }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    refusal.resolve()
    await page.getByText('Another tab was faster.').waitFor()

    await page.getByRole('button', { name: /^Delete: / }).click()
    await page.getByRole('dialog').waitFor()
    await page.goBack()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expectClean()
    await close()
  })

  it('changes no more of an account than was changed, and shows the balance when an answer was lost', async () => {
    const { id } = await server.makeAccount({ name: 'Before', balance: 1000 })
    const { page, go, close } = await visitAs(browser, server, await administratorId(server))
    await go(`/admin/accounts/${id}`)
    await page.getByRole('button', { name: 'Edit' }).click()
    const dialog = page.getByRole('dialog')
    await server.admin('PATCH', `/accounts/${id}`, { email: 'other@example.org' })
    await dialog.getByLabel('Name').fill('After')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { level: 1, name: 'After' }).waitFor()
    expect(await server.admin('GET', `/accounts/${id}`)).toMatchObject({ name: 'After', email: 'other@example.org' })

    await page.route('**/adjust', async (route) => {
      await route.fetch()
      await route.abort()
    })
    await page.getByLabel('Characters').fill('234')
    await page.getByLabel('Reason').fill('invoice')
    await page.getByRole('button', { name: 'Change the balance' }).click()
    await page.getByText('The server does not answer.', { exact: false }).waitFor()
    await page.locator('.figure', { hasText: '1,234' }).waitFor()
    await close()
  })

  it('says that a page did not load, and takes a second link in the same tab', async () => {
    const { id } = await server.makeAccount()
    const { url } = await server.admin('POST', `/accounts/${id}/invitations`)
    const { page, close } = await visitAs(browser, server, id)
    await page.goto(`${server.baseUrl}/console/invitation`)
    await page.getByText('This link does not work any more.', { exact: false }).waitFor()
    await page.goto(`${server.baseUrl}/console/invitation#${tokenOf(url)}`)
    await page.getByLabel('Your name').waitFor()

    await page.goto(`${server.baseUrl}/console/keys`)
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor()
    await page.route('**/console/*.js', (route) => route.abort())
    await page.getByRole('link', { name: 'Voices' }).click()
    await page.getByRole('heading', { level: 1, name: 'This page did not load' }).waitFor()
    await page.unroute('**/console/*.js')
    await page.getByRole('button', { name: 'Load the console again' }).click()
    await page.getByRole('heading', { level: 1, name: 'Voices' }).waitFor()
    await close()
  })
})
