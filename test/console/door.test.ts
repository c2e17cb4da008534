/** Coming in: an invitation, signing in and out, and a session that ends while a page is open. */
import { afterAll, beforeAll, expect, it, setDefaultTimeout } from 'bun:test'
import type { Browser } from 'playwright-core'
import { startServer, type Server } from '../executable/client'
import { join, password, tokenOf } from '../executable/people-client'
import { describeWith } from '../tools'
import { openChromium, picture, visit, visitAs } from './browser'

setDefaultTimeout(120_000)

describeWith('chromium', 'the door of the console', () => {
  let server: Server
  let browser: Browser
  beforeAll(async () => {
    server = await startServer(['--app-name', 'Speech <b>of</b> "Ann"'])
    browser = await openChromium()
  })
  afterAll(async () => {
    await browser.close()
    await server.stop()
  })

  it('lets a person in by an invitation, out, and in again, where the person was', async () => {
    const { id } = await server.makeAccount({ name: '<i>Markup</i> & Co', balance: 5000 })
    const { url } = await server.admin('POST', `/accounts/${id}/invitations`)
    const { page, go, expectClean, close, ...rest } = await visit(browser, server)
    await page.goto(`${server.baseUrl}/console/invitation#${tokenOf(url)}`)
    await page.getByLabel('Your name').fill('Ada <img src=x onerror=alert(1)>')
    await page.getByLabel('E-mail address').fill('Ada@example.org')
    await page.getByLabel('New password').fill('short')
    await page.getByText('A password has at least 8 characters.').waitFor()
    expect(await page.getByRole('button', { name: 'Join' }).isDisabled()).toBe(true)
    await page.getByLabel('New password').fill(password)
    await expectClean()
    await page.getByRole('button', { name: 'Join' }).click()
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await page.getByText('Ada <img src=x onerror=alert(1)>').waitFor()
    await page.getByText('<i>Markup</i> & Co').waitFor()
    await expectClean()

    await page.getByRole('link', { name: 'Voices' }).click()
    await page.getByRole('heading', { level: 1, name: 'Voices' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/console/voices')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Password').fill('not the password')
    await page.getByLabel('E-mail address').fill('ada@EXAMPLE.org')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('The e-mail address or the password is wrong.').waitFor()
    await expectClean()
    await picture({ page, go, expectClean, close, ...rest }, 'sign-in')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { level: 1, name: 'Voices' }).waitFor()
    await close()
  })

  it('refuses a used invitation and says what to do', async () => {
    const { id } = await server.makeAccount()
    const { url } = await server.admin('POST', `/accounts/${id}/invitations`)
    const { page, expectClean, close } = await visit(browser, server)
    await page.goto(`${server.baseUrl}/console/invitation#${tokenOf(url)}x`)
    await page.getByLabel('Your name').fill('Eve')
    await page.getByLabel('E-mail address').fill('eve@example.org')
    await page.getByLabel('New password').fill(password)
    await page.getByRole('button', { name: 'Join' }).click()
    await page.getByText('This link does not work any more.', { exact: false }).waitFor()
    await expectClean()
    await page.getByRole('link', { name: 'To the sign-in page' }).click()
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
    await close()
  })

  it('keeps the page behind a dialog when the session ends, and goes on after signing in', async () => {
    const { id } = await server.makeAccount()
    const { browser: other, email } = await join(server, id)
    const { page, go, expectClean, close } = await visit(browser, server, { theme: 'dark', width: 360, height: 740 })
    await go('/keys')
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor()
    await other.ask('/api/v1/sessions', { method: 'DELETE' })
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.waitFor()
    await expectClean()
    await dialog.getByLabel('Password').fill(password)
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
    await close()
  })

  it('goes over to another person who signs in in another tab, and says so', async () => {
    const [first, second] = [await server.makeAccount({ name: 'First' }), await server.makeAccount({ name: 'Second' })]
    const { page, go, close } = await visitAs(browser, server, first.id)
    await go('/usage')
    await page.getByText('First').waitFor()
    const { email } = await join(server, second.id)
    const other = await page.context().newPage()
    await other.goto(`${server.baseUrl}/console/keys`)
    await other.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
    await other.getByLabel('E-mail address').fill(email)
    await other.getByLabel('Password').fill(password)
    await other.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Another person is signed in', { exact: false }).waitFor()
    await page.getByText('Second').waitFor()
    expect(await page.getByText('First').count()).toBe(0)
    await close()
  })

  it('says at the door that the account is disabled', async () => {
    const { id } = await server.makeAccount()
    const { email } = await join(server, id)
    await server.admin('POST', `/accounts/${id}/disable`)
    const { page, go, close } = await visit(browser, server)
    await go('/keys')
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('This account is disabled.').waitFor()
    await close()
  })

  it('shows a page that does not exist as such, and speaks Chinese where the browser does', async () => {
    const { page, close } = await visit(browser, server, { language: 'zh-CN' })
    await page.goto(`${server.baseUrl}/console/nothing/here`)
    await page.getByRole('heading', { level: 1, name: '登录' }).waitFor()
    expect(await page.evaluate(() => document.documentElement.lang)).toBe('zh-CN')
    await page.getByRole('button', { name: 'English' }).click()
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
    await close()
  })
})
