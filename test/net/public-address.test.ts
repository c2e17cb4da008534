/** Public addresses: the edges of every special range, from both sides. */
import { describe, expect, it } from 'bun:test'
import { isPublicAddress } from '../../src/net/public-address'

describe('isPublicAddress', () => {
  it.each([
    ['this network', '0.0.0.0', '0.255.255.255', null, '1.0.0.0'],
    ['private', '10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
    ['shared with a carrier', '100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
    ['loopback', '127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
    ['link-local', '169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
    ['private', '172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
    ['of protocols', '192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
    ['for documents', '192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
    ['of 6to4 relays', '192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
    ['private', '192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
    ['for benchmarks', '198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
    ['for documents', '198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
    ['for documents', '203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
    ['multicast, reserved and broadcast', '224.0.0.0', '255.255.255.255', '223.255.255.255', null],
    ['Azure’s platform', '168.63.129.16', '168.63.129.16', '168.63.129.15', '168.63.129.17'],
    ['below the global ones', '::', '1fff:ffff::', null, '2400::'],
    ['Teredo', '2001::', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff', null, null],
    ['of protocols', '2001:1::', '2001:1ff:ffff::', null, '2001:200::'],
    ['for documents', '2001:db8::', '2001:db8:ffff:ffff::', '2001:db7:ffff::', '2001:db9::'],
    ['6to4', '2002::', '2002:ffff:ffff::1', '2001:ffff::', '2003::'],
    ['for documents', '3fff::', '3fff:fff:ffff::', '3ffe:ffff::', '3fff:1000::'],
    ['above the global ones', '4000::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '3fff:ffff::', null],
    ['translated for a carrier', '64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff', null, null],
  ])(
    'holds what is %s for closed, from %s to %s, and its neighbours for public',
    (_name, first, last, before, after) => {
      expect([first, last].map(isPublicAddress)).toEqual([false, false])
      for (const neighbour of [before, after])
        if (neighbour) expect([neighbour, isPublicAddress(neighbour)]).toEqual([neighbour, true])
    },
  )

  it.each(['::ffff:', '64:ff9b::'])('treats an IPv4 address behind %s like the IPv4 address', (prefix) => {
    const closed = [
      '127.0.0.1',
      '10.1.2.3',
      '169.254.169.254',
      '100.64.0.1',
      '0.0.0.0',
      '255.255.255.255',
      '168.63.129.16',
    ]
    for (const address of closed) expect([address, isPublicAddress(prefix + address)]).toEqual([address, false])
    for (const address of ['8.8.8.8', '1.1.1.1'])
      expect([address, isPublicAddress(prefix + address)]).toEqual([address, true])
    expect(isPublicAddress(`${prefix}7f00:1`)).toBe(false)
    expect(isPublicAddress(`${prefix}808:808`)).toBe(true)
  })

  it.each([
    '::8.8.8.8',
    '::ffff:0:8.8.8.8',
    '64:ff9b:0:1::808:808',
    '2002:808:808::1',
    '2001:0:808:808::1',
    '2606:4700::5efe:10.0.0.1',
    '2606:4700::200:5efe:10.0.0.1',
  ])('holds %s for closed: other translations do not lead to the public internet', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })

  it.each([
    '',
    ' ',
    'localhost',
    '8.8.8',
    '8.8.8.8.',
    '08.8.8.8',
    '134744072',
    '0x8.8.8.8',
    '8.8.8.8/32',
    '[2606:4700::1]',
    '2606:4700::1%eth0',
    'fe80::1%eth0',
    '2606:4700:::1',
  ])('holds "%s" for closed: it is no address, or one of an interface', (text) => {
    expect(isPublicAddress(text)).toBe(false)
  })
})
