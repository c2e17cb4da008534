/** The address of a client, with and without proxies, and with forged headers. */
import { describe, expect, it } from 'bun:test'
import { clientAddress, limitSubject, parseNetworks } from '../../src/net/address'

const none = parseNetworks([])
const trusted = parseNetworks(['10.0.0.0/8', '192.0.2.7', 'fd00::/8', '::1/128'])

describe('parseNetworks', () => {
  it.each([
    ['10.0.0.0/8', '10.255.255.255', '11.0.0.0'],
    ['10.1.2.3/8', '10.255.255.255', '11.0.0.0'],
    ['192.0.2.128/25', '192.0.2.128', '192.0.2.127'],
    ['192.0.2.7', '192.0.2.7', '192.0.2.8'],
    ['0.0.0.0/0', '203.0.113.9', '2001:db8::1'],
    ['::/0', '2001:db8::1', '203.0.113.9'],
    ['fd00::/8', 'fdff::1', 'fe00::1'],
    ['2001:db8::/33', '2001:db8:7fff::1', '2001:db8:8000::1'],
    ['::1/128', '::1', '::2'],
    [' ::1 ', '0:0:0:0:0:0:0:1', '::2'],
    ['10.0.0.0/8', '::ffff:10.1.2.3', '::ffff:11.1.2.3'],
    ['::ffff:10.0.0.0/104', '10.1.2.3', '11.1.2.3'],
    ['::ffff:10.0.0.1', '10.0.0.1', '10.0.0.2'],
    ['fe80::/10', 'fe80::1%eth0', 'fec0::1%eth0'],
    ['fe80::1%eth0', 'fe80::1%eth0', 'fe80::1%eth1'],
    ['fe80::1%br-lan.5', 'fe80::1%br-lan.5', 'fe80::1'],
  ])('%s holds %s and not %s', (network, inside, outside) => {
    const networks = parseNetworks([network])
    expect(clientAddress(inside, '198.51.100.1', networks)).toBe('198.51.100.1')
    expect(clientAddress(outside, '198.51.100.1', networks)).toBe(outside)
  })

  it.each([
    '',
    ' ',
    'proxy.example',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0.0/255.0.0.0',
    '10.0.0',
    '010.0.0.1',
    '0x0a.0.0.1',
    '10.0.0.256',
    '167772161',
    '10.0.0.1:80',
    '::1/129',
    '::ffff:10.0.0.0/24',
    '[::1]',
    'fe80::1%',
    'fe80::1::2',
    '12345::',
    '10.0.0.1%eth0',
  ])('refuses "%s" and names it', (text) => {
    expect(() => parseNetworks(['10.0.0.0/8', text])).toThrow(`found "${text}"; allowed is an IP address or a network`)
  })
})

describe('clientAddress', () => {
  it('is the connection’s if no proxy is trusted, whatever the header says', () => {
    expect(clientAddress('203.0.113.9', '198.51.100.1', none)).toBe('203.0.113.9')
    expect(clientAddress('fe80::1%eth0', '198.51.100.1', none)).toBe('fe80::1%eth0')
  })

  it('is the connection’s if the connection is no trusted proxy', () => {
    expect(clientAddress('203.0.113.9', '198.51.100.1, 10.0.0.1', trusted)).toBe('203.0.113.9')
    expect(clientAddress('not an address', '198.51.100.1', trusted)).toBe('not an address')
  })

  it('is the connection’s if the proxy sends no header', () => {
    for (const header of [null, '', ' ', ',', ', ,'])
      expect(clientAddress('10.0.0.1', header, trusted)).toBe('10.0.0.1')
  })

  it.each([
    ['198.51.100.1', '198.51.100.1'],
    ['  198.51.100.1\t', '198.51.100.1'],
    // Entries of the client stand to the left of those that the proxy added.
    ['1.1.1.1, 2.2.2.2, 198.51.100.1', '198.51.100.1'],
    ['1.1.1.1,198.51.100.1,10.9.9.9, 192.0.2.7', '198.51.100.1'],
    ['10.1.1.1, 198.51.100.1, 10.0.0.9', '198.51.100.1'],
    ['2001:DB8:0:0::5, fd12::1', '2001:db8::5'],
    ['::ffff:198.51.100.1, ::ffff:10.0.0.2', '198.51.100.1'],
    ['fe80::1%eth0', 'fe80::1%eth0'],
  ])('is the rightmost of "%s" that is not trusted', (header, client) => {
    expect(clientAddress('10.0.0.1', header, trusted)).toBe(client)
    expect(clientAddress('::ffff:10.0.0.1', header, trusted)).toBe(client)
    expect(clientAddress('::1', header, trusted)).toBe(client)
  })

  it('is the leftmost if every hop is trusted', () => {
    expect(clientAddress('10.0.0.1', '10.0.0.4, 10.0.0.3,10.0.0.2', trusted)).toBe('10.0.0.4')
  })

  it.each([
    ['1.2.3.4:55', '1.2.3.4'],
    ['[2001:db8::1]:80', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[fe80::1%eth0]:80', 'fe80::1%eth0'],
    ['1.2.3.4, 10.0.0.2:55', '1.2.3.4'],
    ['1.2.3.4, [fd00::1]:80', '1.2.3.4'],
  ])('understands ports and brackets: "%s"', (header, client) => {
    expect(clientAddress('10.0.0.1', header, trusted)).toBe(client)
  })

  it.each([
    'unknown',
    '_hidden',
    'client.example',
    '1.2.3',
    '1.2.3.4.5',
    '1.2.3.256',
    '01.2.3.4',
    '0x1.2.3.4',
    '16909060',
    '1.2.3.4:',
    '1.2.3.4:x',
    '1.2.3.4:123456',
    '1.2.3.4:1:2',
    '1.2.3.4/8',
    '1.2.3.4 5.6.7.8',
    '[1.2.3.4]:80',
    '[::1',
    '::1]:80',
    '[]:80',
    ':',
    ':::',
    '::1::',
    'fe80::1%',
    'fe80::1%a b',
    'fe80::1%<script>',
    '"1.2.3.4"',
    'for=1.2.3.4',
    '\u0000',
    '１.2.3.4',
    '',
    ' '.repeat(5000),
    '1'.repeat(5000),
    ':'.repeat(5000),
    `fe80::1%${'x'.repeat(5000)}`,
  ])('stops at what is no address (case %#) and keeps the hop before it', (garbage) => {
    expect(clientAddress('10.0.0.1', garbage, trusted)).toBe('10.0.0.1')
    expect(clientAddress('10.0.0.1', `1.1.1.1, ${garbage}`, trusted)).toBe('10.0.0.1')
    expect(clientAddress('10.0.0.1', `1.1.1.1, ${garbage}, 10.0.0.3, 10.0.0.2`, trusted)).toBe('10.0.0.3')
    expect(clientAddress('10.0.0.1', `${garbage}, 198.51.100.1`, trusted)).toBe('198.51.100.1')
  })

  it('reads 32 hops and no more', () => {
    const proxies = (count: number) => Array.from({ length: count }, (_, i) => `10.0.1.${count - i}`).join()
    expect(clientAddress('10.0.0.1', `198.51.100.1,${proxies(31)}`, trusted)).toBe('198.51.100.1')
    expect(clientAddress('10.0.0.1', `198.51.100.1,${proxies(32)}`, trusted)).toBe('10.0.1.32')
    expect(clientAddress('10.0.0.1', Array(10_000).fill(proxies(32)).join(), trusted)).toBe('10.0.1.32')
  })

  it('parses the address that the server reports for a connection', async () => {
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: (request, server) =>
        new Response(
          clientAddress(
            server.requestIP(request)!.address,
            request.headers.get('x-forwarded-for'),
            parseNetworks(['127.0.0.0/8']),
          ),
        ),
    })
    const headers = new Headers()
    headers.append('x-forwarded-for', '1.1.1.1')
    headers.append('x-forwarded-for', '198.51.100.1')
    expect(await (await fetch(server.url, { headers })).text()).toBe('198.51.100.1')
    expect(await (await fetch(server.url)).text()).toBe('127.0.0.1')
    await server.stop(true)
  })
})

describe('limitSubject', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['::FFFF:203.0.113.9', '203.0.113.9'],
    ['::ffff:cb00:7109', '203.0.113.9'],
    ['0:0:0:0:0:ffff:203.0.113.9', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['', ''],
    ['not: an address', 'not: an address'],
  ])('of %s is %s', (address, subject) => {
    expect(limitSubject(address)).toBe(subject)
  })

  it('keeps neighbouring networks apart', () => {
    expect(limitSubject('2001:db8:1:2::1')).not.toBe(limitSubject('2001:db8:1:3::1'))
  })
})

it('loads the package only when an address must be parsed', async () => {
  const script = `
    const { clientAddress, limitSubject, parseNetworks } = require(${JSON.stringify(require.resolve('../../src/net/address'))})
    const isLoaded = () => Object.keys(require.cache).some((path) => path.includes('ipaddr.js'))
    limitSubject(clientAddress('::ffff:203.0.113.9', '1.1.1.1', parseNetworks([])))
    const before = isLoaded()
    limitSubject('2001:db8::1')
    console.log(before, isLoaded())`
  const child = Bun.spawn([process.execPath, '-e', script], { cwd: import.meta.dir })
  expect(await new Response(child.stdout).text()).toBe('false true\n')
})
