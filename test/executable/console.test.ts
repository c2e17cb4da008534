/** The console as the executable serves it: `/`, the page, and its files. */
import { afterAll, beforeAll, describe, expect, it, setDefaultTimeout } from 'bun:test'
import { expectError, startServer, type Server } from './client'

setDefaultTimeout(120_000)

let server: Server
beforeAll(async () => {
  server = await startServer(['--host', '0.0.0.0', '--app-name', 'Speech <of> "Ann"'])
})
afterAll(() => server.stop())

const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const open = (path: string, headers: Record<string, string> = {}) =>
  server.ask(path, { key: null, headers: { accept, ...headers } })
const filesOf = (page: string) => [...page.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(([, name]) => name!)

describe('the address /', () => {
  it('leads browsers to the console', async () => {
    const response = await fetch(`${server.baseUrl}/`, { headers: { accept }, redirect: 'manual' })
    expect([response.status, response.headers.get('location')]).toEqual([302, 'console/'])
  })

  it('is 404 in the error envelope for programs', async () => {
    for (const value of ['*/*', 'application/json'])
      expectError(await server.ask('/', { key: null, headers: { accept: value } }), 404, 'invalid_request')
    expectError(await server.ask('/', { method: 'POST', body: {}, headers: { accept } }), 405, 'invalid_request')
  })
})

describe('the console', () => {
  it('is one page at every path, with the name of the installation as text', async () => {
    const [first, ...others] = await Promise.all(
      ['/console', '/console/', '/console/voices', '/console/admin/accounts/1'].map((path) => open(path)),
    )
    expect([first!.status, first!.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(first!.text).toContain('<title>Speech &lt;of&gt; &quot;Ann&quot;</title>')
    expect(first!.text).toContain('<base href="/console/"')
    expect(first!.text).not.toMatch(/\{\{|undefined/)
    expect(others.map(({ text }) => text === first!.text)).toEqual([true, true, true])
  })

  it('allows no script or style but its own files, and no other origin', async () => {
    const { headers, text } = await open('/console/')
    const policy = headers.get('content-security-policy')!
    expect(policy).toStartWith("default-src 'none'; script-src 'self'; style-src 'self';")
    expect(policy).not.toContain('unsafe')
    expect(text).not.toMatch(/(src|href)="(https?:)?\/\//)
    expect(text).not.toMatch(/<script(?![^>]* src=)|<style/)
  })

  it('serves its files compressed, named by their content, for ever', async () => {
    const names = filesOf((await open('/console/')).text)
    expect(names.map((name) => name.split('.').at(-1)).sort()).toEqual(['css', 'js'])
    for (const name of names) {
      const plain = await fetch(`${server.baseUrl}/console/${name}`, { headers: { 'accept-encoding': 'identity' } })
      const packed = await fetch(`${server.baseUrl}/console/${name}`, { headers: { 'accept-encoding': 'gzip' } })
      expect(packed.headers.get('content-encoding')).toBe('gzip')
      expect(packed.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(packed.headers.get('content-type')).toBe(plain.headers.get('content-type'))
      expect(await packed.text()).toBe(await plain.text())
      const head = await fetch(`${server.baseUrl}/console/${name}`, { method: 'HEAD' })
      expect([head.status, await head.text()]).toEqual([200, ''])
    }
  })

  it('answers 404 for files that it does not have, and 405 for changes', async () => {
    for (const path of ['/console/index.html.js', '/console/nothing.js', '/console/..%2f..%2fpackage.js'])
      expectError(await open(path), 404, 'not_found')
    expectError(await server.ask('/console/voices', { method: 'POST', body: {} }), 405, 'invalid_request')
  })
})
