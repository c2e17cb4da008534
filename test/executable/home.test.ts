/** The page at `/`, for browsers and for programs. */
import { afterAll, beforeAll, describe, expect, it, setDefaultTimeout } from 'bun:test'
import { describeWith } from '../tools'
import { openBrowser } from './browser'
import { expectError, startServer, type Server } from './client'
import { defaultVoiceId } from './sonant'

setDefaultTimeout(120_000)

let server: Server
beforeAll(async () => {
  server = await startServer(['--host', '0.0.0.0', '--app-name', 'Speech <of> "Ann"'])
})
afterAll(() => server.stop())

const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const open = (headers: Record<string, string> = {}) => server.ask('/', { key: null, headers: { accept, ...headers } })

describe('the page at /', () => {
  it('has the name, the first request with the address of the server, and a placeholder for the key', async () => {
    const { status, headers, text } = await open()
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(text).toContain('<title>Speech &lt;of&gt; &quot;Ann&quot;</title>')
    expect(text).toContain(`curl ${server.baseUrl}/api/v1/tts \\`)
    expect(text).toContain('Bearer YOUR_API_KEY')
    expect(text).not.toMatch(/sk-|\{\{|undefined/)
  })

  it('loads nothing from other origins and runs only its own script', async () => {
    const { headers, text } = await open()
    const policy = headers.get('content-security-policy')!
    expect(policy).toStartWith("default-src 'none'; style-src 'sha256-")
    expect(policy).not.toContain('unsafe')
    expect(text).not.toMatch(/(src|href)="(https?:)?\/\//)
  })

  it('shows the address of the request, but no hostile one', async () => {
    expect((await open({ host: 'localhost:1234' })).text).toContain('curl http://localhost:1234/api/v1/tts')
    for (const host of ['evil.example', '"><script>alert(1)</script>', '127.0.0.1"onload="x'])
      expect((await open({ host })).text).toContain(`curl ${server.baseUrl}/api/v1/tts`)
  })

  it('plays a demo of the first public voice', async () => {
    const path = async () => / src="(\/audio\/demos\/[^"]+)"/.exec((await open()).text)?.[1]
    expect(await path()).toStartWith(`/audio/demos/${defaultVoiceId}-`)
    const demo = await server.ask((await path())!, { key: null })
    expect([demo.status, demo.headers.get('content-type')]).toEqual([200, 'audio/mpeg'])
    await server.admin('PATCH', '/voices/zh-mei', { featured: true })
    expect(await path()).toStartWith('/audio/demos/zh-mei-')
    await server.admin('PATCH', '/voices/zh-mei', { featured: false })
  })

  it('is 404 in the error envelope for programs', async () => {
    for (const value of ['*/*', 'application/json'])
      expectError(await server.ask('/', { key: null, headers: { accept: value } }), 404, 'invalid_request')
    expectError(await server.ask('/', { method: 'POST', body: {}, headers: { accept } }), 405, 'invalid_request')
  })
})

describeWith('chromium', 'the page at / in a browser', () => {
  it('obeys its content security policy, plays, copies, and fits a phone', async () => {
    const browser = await openBrowser(`${server.baseUrl}/`)
    try {
      expect(await browser.until<string>('document.querySelector("h1")?.textContent')).toBe('Speech <of> "Ann"')
      expect(await browser.until<string>('getComputedStyle(document.body).margin')).toBe('0px')
      await browser.until('!document.getElementById("copy").hidden')
      await browser.click('#copy')
      await browser.until('["Copied", "Not copied"].includes(document.getElementById("copy").textContent)')
      await browser.until('(() => { document.querySelector("audio").load(); return true })()')
      await browser.until(
        '(() => { const a = document.querySelector("audio"); a.preload = "auto"; return a.duration > 1 })()',
      )
      await browser.narrow(320)
      await browser.until('innerWidth === 320')
      await browser.until('document.documentElement.scrollWidth <= 320')
      expect(browser.complaints()).toEqual([])
      const elsewhere = browser.requested().filter((url) => !url.startsWith(server.baseUrl) && !url.startsWith('data:'))
      expect(elsewhere).toEqual([])
    } finally {
      await browser.close()
    }
  })
})
