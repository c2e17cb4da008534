/** The playground: a person hears the first sentence, makes takes, and takes them into code. */
import { afterAll, beforeAll, expect, it, setDefaultTimeout } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { startServer, type Server } from '../executable/client'
import { describeWith } from '../tools'
import { openChromium, visitAs } from './browser'

setDefaultTimeout(120_000)

const hostile = `It's "quoted" \\ & <b>bold</b> $HOME 你好 😀`

describeWith('chromium', 'the playground', () => {
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

  const balanceOf = async (key: string) => (await server.ask('/api/v1/balance', { key })).body.balance as number

  it('speaks the first sentence at one click on the overview', async () => {
    const { id, key } = await server.makeAccount({ balance: 1000 })
    const { page, go, expectClean, close } = await visitAs(browser, server, id)
    await go('/')
    await page.getByText('No requests yet').waitFor()
    await page.getByRole('button', { name: 'Hear it' }).click()
    await expectSound(page)
    const balance = await balanceOf(key)
    expect(balance).toBeLessThan(1000)
    await page.getByRole('img', { name: `Balance: ${balance} characters` }).waitFor()
    await expectClean()

    await page.route('**/api/v1/status', async (route) => {
      const status = await (await route.fetch()).json()
      await route.fulfill({ json: { ...status, storage: 'low', queue: { waiting: 3, running: 2 } } })
    })
    await page.route('**/api/v1/voices', async (route) => {
      const { voices, total } = await (await route.fetch()).json()
      await route.fulfill({ json: { voices: [{ ...voices[0], slow: true }, ...voices.slice(1)], total } })
    })
    await server.admin('POST', `/accounts/${id}/adjust`, { units: -balance, reason: 'spent' })
    await page.reload()
    await page.getByText('The disk of the server is nearly full.').waitFor()
    await page.getByText('Too slow for this machine: Heart.').waitFor()
    await page.getByText('3 requests wait.').waitFor()
    await page.getByText('The balance is used up. Requests are refused.').first().waitFor()
    await expectClean()
    await close()
  })

  it('speaks with the chosen voice, keeps text and takes, and gives code that does the same', async () => {
    const { id, key } = await server.makeAccount({ balance: 1000 })
    const { page, go, expectClean, close } = await visitAs(browser, server, id)
    await go('/speak?voice=en-ross')
    await page.getByRole('button', { name: 'Ross American English' }).click()
    await page.getByRole('searchbox').fill('kevin american')
    await page.getByText('One voice').waitFor()
    await expectClean()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('slider', { name: 'Speed' }).press('ArrowRight')
    await page.getByLabel('WAV').check()
    await page.getByLabel('Text').fill(hostile)
    await page.getByText('40 characters, costs as many. 960 remain after it.').waitFor()
    await page.getByLabel('Text').press('Control+Enter')
    await expectSound(page)
    const take = page.getByRole('article', { name: 'Take with Kevin' })
    await take.getByText(hostile).waitFor()
    await take.getByText('1.05 ×').waitFor()
    expect(await balanceOf(key)).toBe(960)

    // The voice is deterministic, so the code makes the same bytes.
    const url = (await take.getByRole('link').getAttribute('href'))!
    await take.getByRole('button', { name: 'curl' }).click()
    const code = await page.evaluate(() => navigator.clipboard.readText())
    const { url: again } = JSON.parse(await run(code.replace('YOUR_API_KEY', key)))
    expect(again).not.toBe(url)
    expect(await (await fetch(again)).bytes()).toEqual(await (await fetch(url)).bytes())

    await page.reload()
    await take.getByText(hostile).waitFor()
    expect(await page.getByLabel('Text').inputValue()).toBe(hostile)
    expect(
      await page.locator('audio').evaluateAll((all) => all.every((each) => (each as HTMLAudioElement).paused)),
    ).toBe(true)
    await page.getByLabel('Text').fill('Another.')
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('link', { name: 'Playground' }).click()
    expect(await page.getByLabel('Text').inputValue()).toBe('Another.')
    await take.getByRole('button', { name: 'Use again' }).click()
    expect(await page.getByLabel('Text').inputValue()).toBe(hostile)
    await take.getByRole('button', { name: 'Remove from this list' }).click()
    await take.waitFor({ state: 'detached' })
    await expectClean()
    await close()
  })

  it('speaks a long text in parts, waits when it must, goes on after a failure, and pays nothing twice', async () => {
    const { id, key } = await server.makeAccount({ balance: 10_000 })
    const { page, go, expectClean, close } = await visitAs(browser, server, id)
    const answers: ('lose' | 'pass' | 'limit' | 'refuse')[] = ['lose', 'pass', 'limit', 'refuse', 'pass']
    const keys: string[] = []
    await page.route('**/api/v1/tts', async (route) => {
      keys.push(route.request().headers()['idempotency-key']!)
      const answer = answers.shift()
      const refuse = (status: number, code: string, headers = {}) =>
        route.fulfill({ status, headers, json: { error: { code, message: `${code}.`, param: null } } })
      if (answer === 'limit') return refuse(429, 'rate_limited', { 'retry-after': '1' })
      if (answer === 'refuse') return refuse(502, 'storage_failed')
      const response = await route.fetch()
      // The service spoke and charged, but its answer is lost.
      return answer === 'lose' ? route.abort() : route.fulfill({ response })
    })
    await go('/speak?voice=en-kevin')
    const text = 'It is so. '.repeat(205).trim()
    await page.getByLabel('Text').fill(text)
    await page.getByText('2,049 characters, costs 2,048. Spoken in 2 parts. 7,952 remain after it.').waitFor()
    await page.getByRole('button', { name: 'Speak' }).click()

    await page.getByText('The server does not answer.').waitFor()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('Goes on by itself in').waitFor()
    await page.getByText('The server could not store this').waitFor()
    await page.getByText('1 of 2 parts are spoken.').waitFor()
    await expectSound(page)
    await expectClean()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('button', { name: 'Download' }).waitFor()

    // One key per part, at every try.
    expect(new Set(keys).size).toBe(2)
    expect(keys.length).toBe(5)
    expect(await balanceOf(key)).toBe(10_000 - 2048)
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download' }).click()
    expect((await saving).suggestedFilename()).toMatch(/^en-kevin-[0-9a-f]{8}\.mp3$/)
    expect(await page.getByRole('article').getByRole('link').count()).toBe(2)
    await close()
  })

  it('leads to the balance when it is too low', async () => {
    const { id } = await server.makeAccount({ balance: 5 })
    const { page, go, expectClean, close } = await visitAs(browser, server, id)
    await go('/speak')
    await page.getByText('and the balance is 5.').waitFor()
    await page.getByRole('button', { name: 'Speak' }).click()
    const take = page.getByRole('article')
    await take.getByText('insufficient_balance').waitFor()
    await expectClean()
    await take.getByRole('link', { name: 'Go to the balance' }).click()
    await page.getByRole('heading', { level: 1, name: 'Balance' }).waitFor()
    await close()
  })
})

/** The audio plays, and its decoded samples are not silent. */
async function expectSound(page: Page): Promise<void> {
  await page.locator('.player audio').first().waitFor({ state: 'attached' })
  await page.waitForFunction(() => document.querySelector<HTMLAudioElement>('.player audio')!.currentTime > 0.2)
  const loudest = await page.evaluate(async () => {
    const file = await fetch(document.querySelector<HTMLAudioElement>('.player audio')!.currentSrc)
    const sound = await new OfflineAudioContext(1, 1, 22_050).decodeAudioData(await file.arrayBuffer())
    return sound.getChannelData(0).reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)
  })
  expect(loudest).toBeGreaterThan(0.05)
}

async function run(code: string): Promise<string> {
  const child = Bun.spawn(['bash', '-c', code], { stdout: 'pipe', stderr: 'ignore' })
  return new Response(child.stdout).text()
}
