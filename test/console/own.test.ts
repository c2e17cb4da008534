/** What a person does with the own account: codes, keys, the history, the password; and what an administrator sees of it. */
import { afterAll, beforeAll, expect, it, setDefaultTimeout } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { startServer, type Server } from '../executable/client'
import { password, signIn } from '../executable/people-client'
import { describeWith } from '../tools'
import { administratorId, openChromium, visitAs } from './browser'

setDefaultTimeout(120_000)

describeWith('chromium', 'the own account in the console', () => {
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

  const speak = (key: string, text: string) => server.ask('/api/v1/tts', { key, body: { text, voice_id: 'en-kevin' } })
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
  const told = (page: Page, text: string) => page.getByText(text, { exact: false }).first().waitFor()

  /** Reads the secret of the dialog, which Escape does not close, and closes it. */
  async function takeKey(page: Page): Promise<string> {
    const dialog = page.getByRole('dialog', { name: 'Your new key' })
    const secret = (await dialog.locator('.secret').textContent())!
    for (let i = 0; i < 3; i++) await page.keyboard.press('Escape')
    await told(page, `Authorization: Bearer ${secret}`)
    await button(page, 'Done').click()
    await dialog.waitFor({ state: 'detached' })
    const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state]))
    expect((await page.content()) + kept).not.toContain(secret)
    return secret
  }

  it('activates a code, makes a key, and follows it to its end', async () => {
    const { id } = await server.makeAccount({ name: 'Reading <i>club</i>' })
    const [{ id: given }] = (await server.admin('GET', `/accounts/${id}/keys`)).items
    await server.admin('DELETE', `/keys/${given}`)
    const { page, go, expectClean, close } = await visitAs(browser, server, id)
    const { items } = await server.admin('POST', '/codes', { units: 500 })
    const code: string = items[0].code

    await go('/balance')
    await told(page, 'Nothing was added or taken yet')
    const field = page.getByLabel('Activation code')
    await field.pressSequentially(code.replaceAll('-', '').toLowerCase())
    expect(await field.inputValue()).toBe(code)
    await field.press('Backspace')
    await button(page, 'Activate').click()
    await told(page, 'A code has 16 letters and digits; this one has 15.')
    await field.fill('0000-0000-0000-0000')
    await button(page, 'Activate').click()
    await told(page, 'This code does not work')
    await field.fill(code)
    await button(page, 'Activate').click()
    await told(page, '500 characters added.')
    await page.getByRole('row', { name: 'Activation code +500 500' }).waitFor()

    await go('/keys')
    await told(page, 'No keys yet')
    await button(page, 'Create a key').click()
    const making = page.getByRole('dialog', { name: 'Create a key' })
    await making.getByLabel('Name').fill('Website <b>')
    await making.getByLabel('Spending cap').fill('1.5')
    await told(page, 'A cap is a whole number of characters, 0 or more.')
    expect(await making.getByRole('button', { name: 'Create a key' }).isDisabled()).toBe(true)
    await making.getByLabel('Spending cap').fill('40')
    await making.getByRole('button', { name: 'Create a key' }).click()
    await told(page, 'Copy it now: it is shown only once.')
    await expectClean()
    const first = await takeKey(page)
    const spoken = await speak(first, 'To be, or not to be.')
    expect(spoken.status).toBe(200)
    expect((await speak(first, 'That is the question, said the prince.')).status).toBe(402)
    await page.reload()
    await told(page, '20 of 40')

    await page.getByRole('link', { name: 'Website <b>' }).click()
    await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor()
    await page.getByRole('combobox', { name: 'Key' }).filter({ hasText: 'Website <b>' }).waitFor()
    await page.getByRole('row', { name: 'Kevin' }).nth(1).waitFor()
    await page.getByRole('combobox', { name: 'Status' }).selectOption('charged')
    await page.getByRole('row', { name: 'Failed' }).waitFor({ state: 'detached' })
    expect(new URL(page.url()).searchParams.get('status')).toBe('charged')
    await page.reload()
    await page.getByRole('row', { name: 'Charged' }).nth(1).waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download as CSV' }).click(),
    ])
    const csv = await Bun.file(await download.path()).text()
    expect(csv.trim().split('\r\n')).toHaveLength(2)
    expect(csv).toContain(spoken.body.request_id)
    await page.getByRole('combobox', { name: 'Status' }).selectOption('failed')
    await page.getByRole('row', { name: 'Charged' }).nth(1).waitFor({ state: 'detached' })
    await button(page, 'Details').click()
    await told(page, 'This key has reached its spending cap.')
    await expectClean()
    await button(page, 'Close').click()
    await go('/usage?voice=en-ross')
    await told(page, 'No request matches.')
    await button(page, 'Show all').first().click()
    await page.getByRole('row', { name: 'Failed' }).waitFor()

    await go('/keys')
    await button(page, 'Replace: Website <b>').click()
    await page.getByLabel('The old key works').selectOption({ label: 'no longer, from now on' })
    await button(page, 'Replace').click()
    const second = await takeKey(page)
    const unheard = await speak(second, 'a')
    expect([(await speak(first, 'a')).status, unheard.status]).toEqual([403, 200])
    await page.getByRole('row', { name: 'Revoked' }).waitFor()
    const row = page.getByRole('row', { name: 'Works' })
    await row.getByRole('button', { name: 'Revoke: Website <b>' }).click()
    await told(page, '403 api_key_revoked')
    await expectClean()
    await button(page, 'Revoke').click()
    await told(page, '“Website <b>” is revoked.')
    expect((await speak(second, 'a')).body.error.code).toBe('api_key_revoked')
    await page
      .getByRole('row', { name: second.slice(0, 7) })
      .getByRole('button', { name: 'Delete: ' })
      .click()
    await told(page, '401 invalid_api_key')
    await button(page, 'Delete').click()
    await page.getByRole('row', { name: second.slice(0, 7) }).waitFor({ state: 'detached' })
    expect((await speak(second, 'a')).body.error.code).toBe('invalid_api_key')

    await go(`/usage?request=${spoken.body.request_id}`)
    await button(page, 'Hear Audio').click()
    await page.waitForFunction(() => [...document.querySelectorAll('audio')].some(({ currentTime }) => currentTime > 0))
    await go(`/usage?request=${unheard.body.request_id}`)
    await button(page, 'Erase the audio').click()
    await page
      .getByRole('dialog', { name: 'Erase this audio?' })
      .getByRole('button', { name: 'Erase the audio' })
      .click()
    await told(page, 'The audio is erased.')
    // The browser reports the refusal of the audio as an error, so the page is not checked after it.
    await expectClean()
    await button(page, 'Hear Audio').click()
    await page.getByRole('dialog').getByText('This audio was erased.').waitFor()
    await close()
  })

  it('changes name and password, which ends the other session, and signs out everywhere', async () => {
    const { id } = await server.makeAccount()
    const { page, go, expectClean, close } = await visitAs(browser, server, id, { theme: 'dark' })
    await go('/account')
    const email = await page.getByLabel('E-mail address').inputValue()
    const { browser: other } = await signIn(server, email)
    const { browser: third } = await signIn(server, email)
    await page.getByLabel('Your name').fill('Ada <script>')
    await button(page, 'Save').click()
    await page.getByRole('link', { name: 'Ada <script>' }).waitFor()
    await page.reload()
    await page.getByText('Firefox on Linux').nth(1).waitFor()

    await button(page, 'Sign out: Firefox on Linux').first().click()
    await told(page, 'That session has ended.')
    await page.getByLabel('Present password').fill('not the password')
    await page.getByLabel('New password').fill('another long password')
    await button(page, 'Change the password').click()
    await told(page, 'This is not your present password.')
    await expectClean()
    await page.getByLabel('Present password').fill(password)
    await button(page, 'Change the password').click()
    await told(page, '1 other session has ended.')
    for (const each of [other, third]) expect((await each.ask('/api/v1/session')).status).toBe(401)
    expect((await signIn(server, email)).answer.status).toBe(401)

    await page.getByRole('combobox', { name: 'Language' }).selectOption('zh')
    await page.getByRole('heading', { level: 1, name: '我的账户' }).waitFor()
    await page.getByRole('combobox', { name: '语言' }).selectOption('en')
    const { browser: fourth } = await signIn(server, email, 'another long password')
    await button(page, 'Sign out everywhere').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
    expect((await fourth.ask('/api/v1/session')).status).toBe(401)
    await close()
  })

  it('shows an administrator the usage of all accounts and every operation', async () => {
    const { page, go, expectClean, close } = await visitAs(browser, server, await administratorId(server))
    const { id, key } = await server.makeAccount({ name: 'Choir & co', balance: 100 })
    await speak(key, 'One.')
    await server.admin('PATCH', `/accounts/${id}`, { name: 'Choir & company' })
    await go('/admin/usage')
    await page.getByRole('row', { name: 'Choir & company' }).waitFor()
    await button(page, 'Account: All accounts').click()
    await page.getByLabel('Name, e-mail address or account number').fill('choir')
    await button(page, 'Administrator').waitFor({ state: 'detached' })
    await expectClean()
    await page.getByRole('button', { name: 'Choir & company' }).click()
    await button(page, 'Account: Choir & company').waitFor()
    expect(new URL(page.url()).searchParams.get('account')).toBe(id)
    await page.reload()
    await page.getByText('4 characters in 30 days.', { exact: false }).waitFor()

    await go('/admin/log')
    const changed = page.getByRole('listitem').filter({ hasText: 'Account changed' })
    await changed.getByText('Choir & company').nth(1).waitFor()
    expect(await changed.getByRole('deletion').textContent()).toBe('Choir & co')
    await changed.getByRole('button', { name: 'Only this object' }).click()
    await page.getByText('Account created', { exact: false }).nth(1).waitFor()
    await page.getByRole('combobox', { name: 'Operation' }).selectOption({ label: 'Account changed' })
    await page.getByRole('listitem').filter({ hasText: 'Account created' }).waitFor({ state: 'detached' })
    await expectClean()
    await close()
  })
})
