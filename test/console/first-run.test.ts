/** The first minutes of a new installation: the setup link, which works once, and the first sound. */
import { expect, it, setDefaultTimeout } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startOn } from '../executable/client'
import { password } from '../executable/people-client'
import { describeWith } from '../tools'
import { expectSound, openChromium, picture, visit, type Visit } from './browser'

setDefaultTimeout(120_000)

describeWith('chromium', 'the first start', () => {
  it('leads from the setup link to the first sentence of an administrator, once', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'sonant-first-run-'))
    const server = await startOn(directory, [], null)
    const browser = await openChromium()
    try {
      const first = await visit(browser, server)
      await first.page.goto(server.ready.setup_url)
      await fill(first, 'Ada', 'ada@example.org')
      await first.expectClean()
      await first.page.getByRole('button', { name: 'Begin' }).click()
      await first.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
      await first.page.getByRole('link', { name: 'Accounts' }).waitFor()
      // The token has gone from the address, so that it is in no history of pages.
      expect(first.page.url()).toBe(`${server.baseUrl}/console/`)
      await first.expectClean()
      await first.page.getByRole('button', { name: 'Hear it' }).click()
      await expectSound(first)
      await first.expectClean()
      await picture(first, 'first-sentence')

      const second = await visit(browser, server)
      await second.page.goto(server.ready.setup_url)
      await fill(second, 'Eve', 'eve@example.org')
      await second.page.getByRole('button', { name: 'Begin' }).click()
      await second.page.getByText('This link does not work any more.', { exact: false }).waitFor()
    } finally {
      await browser.close()
      await server.stop()
      await rm(directory, { recursive: true })
    }
  })
})

async function fill({ page }: Visit, name: string, email: string): Promise<void> {
  await page.getByLabel('Your name').fill(name)
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('New password').fill(password)
}
