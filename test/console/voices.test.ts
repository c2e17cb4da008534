/** The voices of a person in the browser: hearing the catalogue, cloning by microphone and from a file, deleting. */
import { afterAll, beforeAll, expect, it, setDefaultTimeout } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { startServer, type Server } from '../executable/client'
import { lasting, recordVoice, sampleRate, variant } from '../executable/recordings'
import { describeWith } from '../tools'
import { expectSound, openChromium, picture, visitAs, type Visit } from './browser'

setDefaultTimeout(120_000)

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name })

describeWith('chromium', 'the voices of a person', () => {
  let server: Server
  let browser: Browser
  let directory: string
  let spoken: Uint8Array
  let account: Awaited<ReturnType<Server['makeAccount']>>
  let person: Visit
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'sonant-voices-'))
    server = await startServer()
    spoken = await recordVoice(server, 'en-kevin')
    await Bun.write(join(directory, 'spoken.wav'), spoken)
    browser = await openChromium({ microphone: join(directory, 'spoken.wav') })
    account = await server.makeAccount({ balance: 1010 })
    person = await visitAs(browser, server, account.id)
  })
  afterAll(async () => {
    await browser.close()
    await server.stop()
    await rm(directory, { recursive: true })
  })

  const balance = async () => (await server.ask('/api/v1/balance', { key: account.key })).body.balance as number

  /** Plays the sound of the button and waits until it is heard. */
  async function hear(name: string | RegExp): Promise<void> {
    await button(person.page, name).first().click()
    await person.page.waitForFunction(() => {
      const audio = document.querySelector('audio')!
      return !audio.paused && audio.currentTime > 0.1
    })
  }

  /** The largest sample of the sound that was played last, decoded by the browser. */
  const loudest = () =>
    person.page.evaluate(async () => {
      const response = await fetch(document.querySelector('audio')!.src)
      const context = new OfflineAudioContext(1, 1, 44_100)
      const decoded = await context.decodeAudioData(await response.arrayBuffer())
      return decoded.getChannelData(0).reduce((most, value) => Math.max(most, Math.abs(value)), 0)
    })

  async function confirmAndSend(name: string): Promise<void> {
    const { page } = person
    await page.getByLabel('Name of the voice').fill(name)
    await page.getByLabel(/^I hold the right/).check()
    await button(page, 'Clone the voice').click()
  }

  it('are found by search and heard', async () => {
    const { page, go, expectClean } = person
    await go('/voices')
    await page.getByText('Speak with your own voice').waitFor()
    await page.getByLabel('Search').fill('kevin')
    await page.getByText('1 of 79').waitFor()
    expect(new URL(page.url()).search).toBe('?q=kevin')
    await hear('Hear demo of Kevin')
    expect(await loudest()).toBeGreaterThan(0.05)
    await page.reload()
    await page.getByText('1 of 79').waitFor()
    await page.getByLabel('Search').fill('nobody')
    await button(page, 'Clear the filters').click()
    await page.getByText('79 in all').waitFor()
    await expectClean()
  })

  it('are cloned with the microphone', async () => {
    const { page, go, expectClean } = person
    await go('/voices/clone')
    expect(await button(page, 'Clone the voice').isDisabled()).toBe(true)
    await button(page, 'Use the microphone').click()
    await button(page, 'Record').waitFor()
    await expectClean()
    await button(page, 'Record').click()
    await page.getByText(/^13\.\d s left/).waitFor()
    await picture(person, 'clone-recording')
    // After fifteen seconds the recording stops by itself.
    await page.evaluate(() => {
      const buttons = [...document.querySelectorAll('button')]
      buttons.find(({ textContent }) => textContent === 'Stop')?.click()
    })
    await button(page, 'Record again').waitFor()
    await hear('Hear Recording.wav')
    await picture(person, 'clone-recorded')
    await expectClean()
    await confirmAndSend('My own')
    await heading(page, '“My own” is ready').waitFor()
    await page.getByText('300 characters were charged.').waitFor()
    expect(await balance()).toBe(710)
    await hear('Hear demo of My own')
    await picture(person, 'clone-made')
    expect(await loudest()).toBeGreaterThan(0.05)
    await hear('Hear recording of My own')
    expect(await loudest()).toBeGreaterThan(0.05)
    await expectClean()
    await page.reload()
    await heading(page, '“My own” is ready').waitFor()
    await page.getByRole('link', { name: 'Say something with it' }).click()
    await page.getByRole('textbox', { name: 'Text' }).fill('I am here.')
    await button(page, /^My own/).waitFor()
    await page.getByRole('button', { name: 'Speak', exact: true }).click()
    await expectSound(person)
    await page.getByText('10 characters', { exact: true }).waitFor()
    expect(await balance()).toBe(700)
    await expectClean()
  })

  it('need a microphone that the browser may use, and say so where they have none', async () => {
    const { page, go } = person
    const attempt = async (error: string) => {
      await page.evaluate((name) => {
        navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('', name))
      }, error)
      await button(page, 'Use the microphone').click()
    }
    await go('/voices/clone')
    await attempt('NotAllowedError')
    await page.getByText('The browser may not use the microphone.', { exact: false }).waitFor()
    await attempt('NotFoundError')
    await page.getByText('There is no microphone.', { exact: false }).waitFor()
    await page.evaluate(() => Object.defineProperty(window, 'isSecureContext', { value: false }))
    await page.getByRole('radio', { name: 'File' }).check()
    await page.getByRole('radio', { name: 'Record' }).check()
    await page.getByText('Browsers give the microphone only to pages over https', { exact: false }).waitFor()
  })

  it('are cloned from a file, again after an upload that broke off, and a second time for nothing', async () => {
    const { page, go, expectClean } = person
    const file = { name: 'a<b>.wav', mimeType: 'audio/wav', buffer: Buffer.from(variant(spoken, 5)) }
    const uploads: string[] = []
    page.on('request', (request) => {
      const type = request.headers()['content-type'] ?? ''
      if (request.method() === 'POST') uploads.push(type.split(';')[0]!)
    })
    await go('/voices/clone?from=file')
    await page.getByLabel('Choose a file').setInputFiles(file)
    await button(page, 'Choose another').waitFor()
    expect(await page.getByLabel('Name of the voice').inputValue()).toBe('a b')
    await page.getByText('There is little speech in it.', { exact: false }).waitFor()
    await page.route('**/api/v1/voices/clone', (route) => route.abort(), { times: 1 })
    await confirmAndSend('From a file')
    await page.getByText('The server does not answer.', { exact: false }).waitFor()
    await button(page, 'Clone the voice').click()
    await heading(page, '“From a file” is ready').waitFor()
    expect(await balance()).toBe(400)
    expect(uploads).toEqual(['multipart/form-data', 'multipart/form-data'])

    await button(page, 'Clone another voice').click()
    await page.getByLabel('Choose a file').setInputFiles(file)
    await page.getByText('You have cloned this recording before, as “From a file”.', { exact: false }).waitFor()
    await confirmAndSend('Again')
    await page.getByText('You had this voice already. Nothing was charged.').waitFor()
    expect(await balance()).toBe(400)
    expect(uploads.slice(2)).toEqual(['application/json'])
    await expectClean()
  })

  it('are cloned from a part of a long recording, and only from one that can be used', async () => {
    const { page, go } = person
    const choose = (name: string, bytes: Uint8Array) =>
      page.getByLabel('Choose a file').setInputFiles({ name, mimeType: 'audio/wav', buffer: Buffer.from(bytes) })
    await go('/voices/clone?from=file')
    await choose('short.wav', lasting(spoken, sampleRate / 2))
    await page.getByText('The recording is shorter than one second.').waitFor()
    await button(page, 'Choose another').click()
    const large = join(directory, 'large.wav')
    await Bun.write(large, new Uint8Array(15 * 1024 * 1024 + 1))
    await page.getByLabel('Choose a file').setInputFiles(large)
    await page.getByText('The file is too large: at most 15 MB can be sent.').waitFor()
    await button(page, 'Choose another').click()
    await choose('text.wav', Buffer.from('This is no sound.'))
    await page.getByText('this browser cannot decode it', { exact: false }).waitFor()
    await confirmAndSend('Text')
    await page.getByText('This is no WAV, MP3, FLAC, OGG, M4A or AAC recording.').waitFor()
    await button(page, 'Choose another').click()
    await page.getByRole('radio', { name: 'Address' }).check()
    const address = page.getByLabel('Address of the recording')
    await address.fill('ftp://example.org/voice.wav')
    await page.getByText('An address begins with https:// or http://.').waitFor()
    await address.fill('http://127.0.0.1/voice.wav')
    await button(page, 'Clone the voice').click()
    await page.getByText('The service may not fetch from this address.').waitFor()
    await page.getByRole('radio', { name: 'File' }).check()
    await choose('long.wav', lasting(spoken, 20 * sampleRate))
    await page.getByLabel('Only 15 seconds can be sent.', { exact: false }).fill('4')
    await page.getByText('From 4.0 s to 19.0 s').waitFor()
    await picture(person, 'clone-part')
    // Pages over plain HTTP cannot compute the hash of a file.
    await page.evaluate(() => Object.defineProperty(crypto, 'subtle', { value: undefined }))
    await confirmAndSend('Part of it')
    await heading(page, '“Part of it” is ready').waitFor()
    expect(await balance()).toBe(100)
  })

  it('are deleted, and a voice that the balance does not pay is not made', async () => {
    const { page, go } = person
    await go('/voices')
    await button(page, 'Delete: From a file').click()
    await page.getByText('The characters that it cost are not given back.', { exact: false }).waitFor()
    await button(page, 'Delete the voice').click()
    await page.getByText('“From a file” is deleted.').waitFor()
    await page.getByText('From a file', { exact: true }).waitFor({ state: 'detached' })
    const { voices } = (await server.ask('/api/v1/voices', { key: account.key })).body
    const own = voices.filter(({ owned }: { owned?: true }) => owned)
    expect(own.map(({ display_name: name }: { display_name: string }) => name)).toEqual(['My own', 'Part of it'])
    await page.getByRole('link', { name: 'Clone a voice' }).first().click()
    await page.getByText('A voice costs 300 characters once. You have 100.').waitFor()
    await page.getByText('a higher balance', { exact: false }).waitFor()
  })
})
