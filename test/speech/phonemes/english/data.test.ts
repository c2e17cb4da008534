/** The compiled data for reading English: look-up in sorted tables, and refused files. */
import { describe, expect, it } from 'bun:test'
import { encodeTable } from '../../../../scripts/english-data'
import { openEnglishData } from '../../../../src/speech/phonemes/english/data'
import { openTable } from '../../../../src/speech/phonemes/english/table'
import { compileFiles, tinyAssets } from './tiny-data'

describe('a table', () => {
  const words = Array.from({ length: 1_000 }, (_, at) => `${at % 7 ? 'wörd' : 'w'}${(at * 7_919) % 1_000}`)
  const value = (at: number) => Uint8Array.of(at & 0xff, at >> 8)
  const table = openTable(encodeTable(words.map((word, at) => [word, value(at)])))

  it('finds each of its keys', () => {
    expect(table.entries).toBe(1_000)
    expect(words.filter((word, at) => !Bun.deepEquals(table.find(word), value(at)))).toEqual([])
  })

  it('finds no other key', () => {
    const others = words.flatMap((word) => [`${word}0x`, word.slice(0, -1) + 'x', word.toUpperCase(), `a${word}`])
    const unlisted = others.filter((word) => !words.includes(word))
    expect(unlisted.length).toBeGreaterThan(3_000)
    expect(unlisted.filter((word) => table.find(word) !== undefined)).toEqual([])
    expect(['', '\0', '\u{10FFFF}', 'w'.repeat(10_000)].filter((word) => table.find(word))).toEqual([])
  })

  it('may be empty, have an empty key, and lie anywhere in a buffer', () => {
    expect(openTable(encodeTable([])).find('a')).toBeUndefined()
    const bytes = encodeTable([['', value(3)]])
    const moved = new Uint8Array(bytes.length + 1)
    moved.set(bytes, 1)
    expect(openTable(moved.subarray(1)).find('')).toEqual(value(3))
  })

  it('refuses bytes that end early', () => {
    const bytes = encodeTable(words.map((word, at) => [word, value(at)]))
    for (const length of [0, 7, 8, 100]) expect(() => openTable(bytes.subarray(0, length))).toThrow('does not fit')
  })
})

describe('data for reading English', () => {
  it('finds words, capitalized words, and readings by part of speech', async () => {
    const { gold, silver } = openEnglishData(await compileFiles(tinyAssets))
    expect(gold.american.find('hello')).toBe('həlˈO')
    expect(gold.american.find('Hello')).toBe('həlˈO')
    expect(gold.american.find('HELLO')).toBeUndefined()
    expect(silver.british.find('zelda')).toBe('zˈɛldə')
    expect(gold.american.find('read')).toEqual(new Map(Object.entries({ DEFAULT: 'ɹˈid', VBD: 'ɹˈɛd' })))
    expect(gold.american.find('odd')).toEqual(
      new Map<string, string | null>([
        ['DEFAULT', 'ˈɑd'],
        ['NOUN', null],
      ]),
    )
    expect(gold.british.find('cat')).toBe('kˈat')
  })

  it('is the same bytes each time', async () => {
    expect(await compileFiles(tinyAssets)).toEqual(await compileFiles(tinyAssets))
  })

  it('is refused when it is another file, of another version, cut or longer', async () => {
    const bytes = await compileFiles(tinyAssets)
    const changed = (at: number, value: number) => Uint8Array.from(bytes).fill(value, at, at + 1)
    expect(() => openEnglishData(new Uint8Array())).toThrow('English reading data: not such a file')
    expect(() => openEnglishData(changed(0, 0x53))).toThrow('not such a file')
    expect(() => openEnglishData(changed(16, 9))).toThrow('version 9; this program reads version 1')
    expect(() => openEnglishData(bytes.subarray(0, 20))).toThrow('not such a file')
    expect(() => openEnglishData(bytes.subarray(0, -1))).toThrow(
      `${bytes.length - 1} bytes long; its header says ${bytes.length}`,
    )
    expect(() => openEnglishData(Buffer.concat([bytes, Uint8Array.of(0)]))).toThrow('its header says')
    expect(() => openEnglishData(changed(26, 0xff))).toThrow('its description lies outside of the file')
  })

  it('is not compiled from a lexicon that is missing, cut or no UTF-8', async () => {
    const name = 'lexicon_us_gold.json.gz'
    const compile = (bytes: Uint8Array) => compileFiles({ ...tinyAssets, [name]: bytes })
    const { [name]: whole, ...others } = tinyAssets
    await expect(compileFiles(others)).rejects.toThrow(`English reading data: ${name}`)
    await expect(compile(whole!.subarray(0, 40))).rejects.toThrow(`English reading data: ${name}`)
    // Only the key's last byte is wrong: {"ca\xff":"kˈæt"}.
    const words = Buffer.from('{"ca?":"kˈæt"}')
    words[words.indexOf('?')] = 0xff
    await expect(compile(Bun.gzipSync(words))).rejects.toThrow(
      `English reading data: ${name}: The encoded data was not`,
    )
  })
})
