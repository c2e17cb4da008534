/** The base URL in answers, from the request's `Host`, the machine's own names and the settings. */
import { describe, expect, it } from 'bun:test'
import { hostname } from 'node:os'
import { readConfig, type RawSettings } from '../../src/config'
import { createAddresses } from '../../src/http/addresses'

const port = 7788

function setUp(flags: RawSettings, options: Parameters<typeof createAddresses>[2] = {}) {
  const config = readConfig(flags, {}, {}, { cores: 2, memoryBytes: 4 << 30 })
  const addresses = createAddresses(config, port, options)
  return (host?: string, headers: Record<string, string> = {}) =>
    addresses(new Request('http://unused/', { headers: { ...(host !== undefined && { host }), ...headers } }))
}

const ownNames = () => new Set(['localhost', '127.0.0.1', '192.168.1.5', '[fd00::5]', 'box', 'box.local'])
const everywhere = (host = '0.0.0.0') => setUp({ host }, { ownNames })

describe('a server on all interfaces without a base URL', () => {
  const taken: [string, string][] = [
    ['192.168.1.5:7788', 'http://192.168.1.5:7788'],
    ['192.168.1.5:80', 'http://192.168.1.5'],
    ['192.168.1.5', 'http://192.168.1.5'],
    ['localhost:9000', 'http://localhost:9000'],
    ['LocalHost:7788', 'http://localhost:7788'],
    ['box.local:7788', 'http://box.local:7788'],
    ['[fd00::5]:7788', 'http://[fd00::5]:7788'],
    ['[FD00:0:0::5]:7788', 'http://[fd00::5]:7788'],
  ]
  it.each(taken)('answers to %s with %s', (host, baseUrl) => {
    for (const listening of ['0.0.0.0', '::', '::0', '0', '0:0:0:0:0:0:0:0'])
      expect(everywhere(listening)(host)).toEqual({ baseUrl, storageUrl: `${baseUrl}/audio` })
  })

  const hostile = [
    'evil.example',
    'evil.example:7788',
    '192.168.1.6:7788',
    'localhost.evil.example',
    'localhost.',
    'localhost:99999',
    'localhost:',
    'localhost:7788, evil.example',
    'localhost@evil.example',
    'evil.example@localhost',
    'localhost/evil',
    'localhost?x',
    'localhost#x',
    'localhost\\evil',
    'localhost"onload=x',
    '<script>',
    '[::1',
    '[fd00::5%25eth0]:7788',
    '',
    'x'.repeat(10_000),
  ]
  it.each(hostile)('answers to the host %p with 127.0.0.1', (host) => {
    expect(everywhere()(host)).toEqual({
      baseUrl: 'http://127.0.0.1:7788',
      storageUrl: 'http://127.0.0.1:7788/audio',
    })
  })

  it('answers with 127.0.0.1 to a request without a host', () => {
    expect(everywhere()().baseUrl).toBe('http://127.0.0.1:7788')
  })

  it('does not read X-Forwarded-Host, Forwarded or X-Forwarded-Proto', () => {
    const forwarded = {
      'x-forwarded-host': 'box:1',
      'x-forwarded-proto': 'https',
      'x-forwarded-port': '1',
      forwarded: 'host=box:1;proto=https',
    }
    expect(everywhere()('192.168.1.5:7788', forwarded).baseUrl).toBe('http://192.168.1.5:7788')
    expect(everywhere()('evil.example', forwarded).baseUrl).toBe('http://127.0.0.1:7788')
  })

  it('keeps a configured storage URL, and uses https with its own certificate', () => {
    const withStorage = setUp({ host: '0.0.0.0', 'storage-url': 'https://cdn.example/a' }, { ownNames })
    expect(withStorage('box:7788')).toEqual({ baseUrl: 'http://box:7788', storageUrl: 'https://cdn.example/a' })
    const withTls = setUp({ host: '::', 'tls-cert': 'c', 'tls-key': 'k' }, { ownNames })
    expect(withTls('box:443').baseUrl).toBe('https://box')
    expect(withTls('evil').baseUrl).toBe('https://127.0.0.1:7788')
  })

  it('learns of new interfaces within seconds, forgets old ones, and does not read them at each request', () => {
    let now = 0
    let asked = 0
    let names = new Set(['one'])
    const read = () => {
      asked++
      return names
    }
    const find = setUp({ host: '0.0.0.0' }, { ownNames: read, nowMs: () => now })
    expect(find('one').baseUrl).toBe('http://one')
    names = new Set(['two'])
    for (let i = 0; i < 1000; i++) find(`evil${i}`)
    expect([find('one').baseUrl, find('two').baseUrl, asked]).toEqual(['http://one', 'http://127.0.0.1:7788', 1])
    now = 10_001
    expect([find('one').baseUrl, find('two').baseUrl, asked]).toEqual(['http://127.0.0.1:7788', 'http://two', 2])
  })

  it('knows the names of this machine', () => {
    const find = setUp({ host: '0.0.0.0' })
    for (const host of ['localhost', '127.0.0.1', hostname().toLowerCase()])
      expect(find(`${host}:7788`).baseUrl).toBe(`http://${host}:7788`)
  })
})

describe('a server with a base URL, or on one interface', () => {
  it('ignores the host', () => {
    const named = setUp({ host: '0.0.0.0', 'base-url': 'https://speech.example' }, { ownNames })
    expect(named('box:7788').baseUrl).toBe('https://speech.example')
    const alone = setUp({ host: '192.168.1.5' }, { ownNames })
    expect(alone('box:7788').baseUrl).toBe('http://192.168.1.5:7788')
    expect(setUp({}, { ownNames })('box:7788').baseUrl).toBe('http://127.0.0.1:7788')
  })
})
