/** The check that a change with a cookie comes from a page of this server. */
import { describe, expect, it } from 'bun:test'
import { createOwnPage } from '../../src/http/own-page'

const own = ['127.0.0.1', '192.168.1.5', '[fd00::5]', 'localhost', 'box.local']
const isOwn = (hostname: string) => own.includes(hostname)

type Case = [host: string | null, origin: string | null, allowed: boolean]

function isAllowed(
  config: Parameters<typeof createOwnPage>[0],
  host: string | null,
  origin: string | null,
  mayLackOrigin = false,
) {
  const headers = new Headers()
  if (host !== null) headers.set('host', host)
  if (origin !== null) headers.set('origin', origin)
  const request = new Request('http://x/', { method: 'POST', headers })
  try {
    createOwnPage(config, isOwn).ensure(request, { mayLackOrigin, mayBeForm: false })
    return true
  } catch (error) {
    expect(error).toMatchObject({ code: 'permission_denied', param: 'Origin' })
    return false
  }
}

describe('without a base URL', () => {
  it.each<Case>([
    ['127.0.0.1:7788', 'http://127.0.0.1:7788', true],
    ['LOCALHOST:7788', 'http://localhost:7788', true],
    ['[fd00::5]:80', 'http://[fd00::5]', true],
    ['box.local', 'http://box.local', true],
    ['127.0.0.1:7788', 'https://127.0.0.1:7788', false],
    ['127.0.0.1:7788', 'http://127.0.0.1:7789', false],
    ['127.0.0.1:7788', 'http://localhost:7788', false],
    ['127.0.0.1:7788', 'http://127.0.0.1:7788.evil.example', false],
    ['evil.example', 'http://evil.example', false],
    ['user@127.0.0.1:7788', 'http://127.0.0.1:7788', true],
    ['127.0.0.1:7788', null, false],
    ['127.0.0.1:7788', 'null', false],
    ['127.0.0.1:7788', '', false],
    ['not a host', 'http://127.0.0.1', false],
    ['', 'http://', false],
    [null, 'http://127.0.0.1', false],
  ])('host %p and origin %p: %p', (host, origin, allowed) => {
    expect(isAllowed({ baseUrl: undefined, tls: undefined }, host, origin)).toBe(allowed)
  })

  it('expects https where the server itself speaks it', () => {
    const config = { baseUrl: undefined, tls: { certPath: 'c', keyPath: 'k' } }
    expect(isAllowed(config, 'localhost:7788', 'https://localhost:7788')).toBe(true)
    expect(isAllowed(config, 'localhost:7788', 'http://localhost:7788')).toBe(false)
  })
})

describe('with a base URL', () => {
  it.each<Case>([
    ['127.0.0.1:7788', 'https://voice.example.org', true],
    ['voice.example.org', 'https://voice.example.org:443', false],
    ['voice.example.org', 'http://voice.example.org', false],
    ['127.0.0.1:7788', 'http://127.0.0.1:7788', false],
  ])('host %p and origin %p: %p', (host, origin, allowed) => {
    expect(isAllowed({ baseUrl: 'https://voice.example.org:443/tts', tls: undefined }, host, origin)).toBe(allowed)
  })
})

it('a program may lack an origin where that is allowed, and never send a foreign one', () => {
  const config = { baseUrl: undefined, tls: undefined }
  expect(isAllowed(config, 'evil.example', null, true)).toBe(true)
  expect(isAllowed(config, 'localhost', 'null', true)).toBe(false)
})
