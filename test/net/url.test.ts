/** The normalized form of URLs. */
import { describe, expect, it } from 'bun:test'
import { normalizeUrl } from '../../src/net/url'

describe('normalizeUrl', () => {
  it.each([
    ['HTTP://Sound.Example', 'http://sound.example/'],
    [' http://sound.example:80/a/../b ', 'http://sound.example/b'],
    ['https://sound.example:443/', 'https://sound.example/'],
    ['http://sound.example/me.wav#t=1', 'http://sound.example/me.wav'],
    ['http://sound.example/#', 'http://sound.example/'],
    ['http://sound.example/?q=a b', 'http://sound.example/?q=a%20b'],
    ['http://bücher.example/ü', 'http://xn--bcher-kva.example/%C3%BC'],
    ['http://0x08080808/', 'http://8.8.8.8/'],
    ['http://[2606:4700:0:0::1]/', 'http://[2606:4700::1]/'],
  ])('makes %j %j', (url, normal) => {
    expect(normalizeUrl(url)).toBe(normal)
    expect(normalizeUrl(normal)).toBe(normal)
  })

  it('keeps URLs different that servers may distinguish', () => {
    const urls = [
      'http://a.example/x',
      'https://a.example/x',
      'http://a.example/X',
      'http://a.example/x?',
      'http://a.example:81/x',
      'http://a.example./x',
      'http://a.example/x/',
    ]
    expect(new Set(urls.map(normalizeUrl)).size).toBe(urls.length)
  })

  it('names the error, and quotes at most 40 characters', () => {
    expect(() => normalizeUrl('ftp://sound.example/')).toThrow(
      'url: found "ftp://sound.example/"; an http or https address is required.',
    )
    expect(() => normalizeUrl(`ftp://${'x'.repeat(1000)}`)).toThrow(`url: found "ftp://${'x'.repeat(34)}…"; an http`)
    expect(() => normalizeUrl(`http://${'x'.repeat(5000)}`)).toThrow(
      'url: found 5007 characters; at most 4096 are allowed.',
    )
    expect(() => normalizeUrl('http://me:secret@a.example')).toThrow(
      'url: found a user name or password in it; none is allowed.',
    )
  })
})
