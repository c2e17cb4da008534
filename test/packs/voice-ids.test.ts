import { describe, expect, it } from 'bun:test'
import { giveIds } from '../../src/packs/voice-ids'

const claim = (slugs: string[], given: Record<string, string> = {}) => ({
  slugs,
  given: new Map(Object.entries(given)),
})
const give = (claimants: ReturnType<typeof claim>[], reserved: string[] = []) =>
  giveIds(claimants, reserved).map((map) => Object.fromEntries(map))

describe('ids of installed voices', () => {
  it('are the slugs if these are free', () => {
    expect(give([claim(['en-us-amy', 'kokoro-af_heart.v1'])])).toEqual([
      { 'en-us-amy': 'en-us-amy', 'kokoro-af_heart.v1': 'kokoro-af_heart.v1' },
    ])
  })

  it('get a number if an earlier pack or a built-in voice has the slug', () => {
    expect(give([claim(['a', 'b']), claim(['a']), claim(['a'])], ['b', 'a-2'])).toEqual([
      { a: 'a', b: 'b-2' },
      { a: 'a-3' },
      { a: 'a-4' },
    ])
  })

  it('once given stay, even against an earlier pack', () => {
    expect(give([claim(['a']), claim(['a'], { a: 'a' })])).toEqual([{ a: 'a-2' }, { a: 'a' }])
  })

  it('once given stay reserved for voices that are currently missing', () => {
    expect(give([claim([], { a: 'a' }), claim(['a'])])).toEqual([{ a: 'a' }, { a: 'a-2' }])
  })

  it('once given stay when a later version has a built-in voice of that id', () => {
    expect(give([claim(['a'], { a: 'a' }), claim(['a'])], ['a'])).toEqual([{ a: 'a' }, { a: 'a-2' }])
  })

  it('have at most 64 characters including the number', () => {
    const long = 'x'.repeat(62) + '-yz'
    const [first, second] = give([claim([long]), claim([long])])
    expect(first![long]).toBe(`${'x'.repeat(62)}-y`)
    expect(second![long]).toBe(`${'x'.repeat(62)}-2`)
  })

  it('match the pattern of the interface for any slug', () => {
    const slugs = [
      'Ünïcödé',
      '_under',
      '',
      '...',
      'a b/c',
      '中文',
      'cv-ru',
      'constructor',
      '__proto__',
      'x'.repeat(300),
    ]
    const ids = [...giveIds([claim(slugs)], [])[0]!.values()]
    for (const id of ids) expect(id).toMatch(/^[a-z0-9][a-z0-9._-]{0,63}$/)
    expect(new Set(ids).size).toBe(slugs.length)
  })

  it('never look like those of clones', () => {
    expect(give([claim(['cv-ru-anna'])])).toEqual([{ 'cv-ru-anna': 'voice-cv-ru-anna' }])
  })
})
