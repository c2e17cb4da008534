/** Rules of reading English, with tiny data; test/speech/misaki/ compares the whole reader with misaki. */
import { describe, expect, it } from 'bun:test'
import { type Accent, type Dictionary, openEnglishData } from '../../../../src/speech/phonemes/english/data'
import { createEnglishReader } from '../../../../src/speech/phonemes/english/reader'
import { applyStress } from '../../../../src/speech/phonemes/english/stress'
import { splitTokens } from '../../../../src/speech/phonemes/english/tokens'
import { compileFiles, tinyAssets } from './tiny-data'

const data = openEnglishData(await compileFiles(tinyAssets))

function read(text: string, accent: Accent = 'american') {
  const asked: string[] = []
  const reader = createEnglishReader(data, accent, async (word) => {
    asked.push(word)
    return 'ʔˈa'
  })
  return reader.read(text).then((reading) => ({ ...reading, asked }))
}
const phonemesOf = async (text: string, accent?: Accent) => (await read(text, accent)).phonemes

describe('reading English', () => {
  it('chooses function words by the sound that follows', async () => {
    expect(await phonemesOf('the apple the cat')).toBe('ði ˈæpᵊl ðə kˈæt')
    expect(await phonemesOf('to apple, to cat, to.')).toBe('tʊ ˈæpᵊl, tə kˈæt, tu.')
    expect(await phonemesOf('I used to wait')).toBe('ˌI jˈust tə wˈAt')
    expect(await phonemesOf('I used hello')).toBe('ˌI jˈuzd həlˈO')
    expect(await phonemesOf('in apple, in')).toBe('ɪn ˈæpᵊl, ˈɪn')
  })

  it('chooses between readings by part of speech and at the end of a phrase', async () => {
    expect(await phonemesOf('cat read cat')).toBe('kˈæt ɹˈid kˈæt')
    expect(await phonemesOf('yesterday read cat')).toEndWith('ɹˈɛd kˈæt')
    expect(await phonemesOf('that cat that.')).toBe('ðˌæt kˈæt ðˈæt.')
  })

  it('reads stems with endings in both accents', async () => {
    expect(await phonemesOf('cats waits waited waiting')).toBe('kˈæts wˈAts wˈATᵻd wˈATɪŋ')
    expect(await phonemesOf('cats waited waiting', 'british')).toBe('kˈats wˈAtɪd wˈAtɪŋ')
    expect(await phonemesOf("cat's")).toBe('kˈæts')
  })

  it('spells capitals and abbreviations with dots', async () => {
    expect(await phonemesOf('USA')).toBe('jˌuˌɛsˈA')
    expect(await phonemesOf('the U.S. cat')).toBe('ðə jˌuˈɛs kˈæt')
    expect(await phonemesOf('the U.S.')).toBe('ðə jˌuˈɛs.')
    expect(await phonemesOf('the U S A')).toBe('ðə jˈu ˈɛs ˈA')
    expect(await phonemesOf('cat A S.')).toBe('kˈæt ˈA ˈɛs.')
    expect(await phonemesOf('A S, a cat, A cat')).toBe('ˈA ˈɛs, ɐ kˈæt, ɐ kˈæt')
  })

  it('keeps contractions and halves the stress of compounds', async () => {
    expect(await phonemesOf("I don't")).toBe('ˌI dˈOnt')
    expect(await phonemesOf('hello-cat')).toBe('həlˈOkˌæt')
    expect(await phonemesOf('black-bird')).toBe('blˌækbˈɜɹd')
  })

  it('reads words in quotation marks as without them', async () => {
    expect(await phonemesOf('"Yesterday read," the "cat" ("hello").')).toBe('“tˈa ɹˈɛd,” ðə “kˈæt” (“həlˈO”).')
    expect(await phonemesOf('the " cat " "apple')).toBe('ðə “ kˈæt ” “ˈæpᵊl')
  })

  it('asks for a word that the lexicons lack, once per word, and reads its context from the answer', async () => {
    const { phonemes, asked } = await read('the brillig, the quokka')
    expect(asked).toEqual(['brillig'])
    expect(phonemes).toBe('ði tˈa, ðə kwˈɑkə')
  })

  it('says where in the text each part is', async () => {
    const text = "  The cat's apple (don't) wait… "
    const { parts, phonemes } = await read(text)
    expect(parts.map(({ start, end }) => text.slice(start, end))).toEqual([
      'The',
      "cat's",
      'apple',
      '(',
      "don't",
      ')',
      'wait',
      '…',
    ])
    expect(parts.filter(({ isWord }) => isWord).map(({ start }) => start)).toEqual([2, 6, 12, 19, 26])
    expect(
      parts
        .map((part) => part.phonemes + (part.spaceAfter ? ' ' : ''))
        .join('')
        .trim(),
    ).toBe(phonemes)
  })

  it('gives nothing for nothing, and a digit its name', async () => {
    expect(await read('')).toMatchObject({ parts: [], phonemes: '' })
    expect(await read(' \n')).toMatchObject({ parts: [], phonemes: '' })
    expect(await phonemesOf('cat 11')).toBe('kˈæt wˈʌn wˈʌn')
  })

  it('gets through any characters without an error and without losing its place', async () => {
    const texts = [
      "'",
      "''''",
      '-',
      '_',
      '.',
      '...',
      '…………',
      '"',
      "a'",
      "'a",
      "-a-b--c'd''e",
      'ÀÉß',
      'ﬁ',
      '\u0301\u0301',
      '𝒜𝒷',
      '😀',
      '你好',
      'e\u0301te\u0301',
      '((((((((((x))))))))))',
      "s's's's'",
      'ABCdefGHI',
      'constructor',
      '__proto__',
      '\ud800',
      'x'.repeat(500),
      "o'".repeat(200),
    ]
    for (const text of texts) {
      const { parts } = await read(text)
      for (const { start, end } of parts) expect(0 <= start && start < end && end <= text.length).toBe(true)
      parts.slice(1).forEach((part, at) => expect(part.start).toBeGreaterThanOrEqual(parts[at]!.end))
    }
  })

  it('looks up a bounded number of words for each character of a hostile text', async () => {
    let lookUps = 0
    const count = (dictionary: Dictionary): Dictionary => ({
      find(word) {
        lookUps++
        return dictionary.find(word)
      },
    })
    const gold = { ...data.gold, american: count(data.gold.american) }
    const reader = createEnglishReader({ ...data, gold }, 'american', async () => '')
    for (const unit of ['a-', 'A/', "s's", 'cat-', 'hello/']) {
      const text = unit.repeat(100)
      lookUps = 0
      await reader.read(text)
      expect(lookUps / text.length).toBeLessThan(25)
    }
  })

  it('throws what the reader of unknown words throws', async () => {
    const reader = createEnglishReader(data, 'american', async () => {
      throw new Error('no network')
    })
    await expect(reader.read('brillig')).rejects.toThrow('no network')
  })
})

describe('tokens', () => {
  const split = (text: string) => splitTokens(text, data.specialCase).map((token) => token.text)

  it('are cut at marks, hyphens and contractions, and keep abbreviations', () => {
    expect(split(`He said: "don't go," (U.S. law).`)).toEqual([
      ...['He', 'said', ':', '"', 'do', "n't", 'go', ',', '"', '(', 'U.S.', 'law', ')', '.'],
    ])
    expect(split("well-known cat's e-mail a/b")).toEqual([
      ...['well', '-', 'known', 'cat', "'s", 'e', '-', 'mail', 'a', '/', 'b'],
    ])
    expect(split('end...Next www.example.com')).toEqual(['end', '...', 'Next', 'www.example.com'])
  })
})

describe('stress', () => {
  it('is lowered, raised and given as misaki does', () => {
    expect(applyStress('blˈækbˌɜɹd', -1)).toBe('blˌækbɜɹd')
    expect(applyStress('bˈɜɹd', -0.5)).toBe('bˌɜɹd')
    expect(applyStress('bɜɹd', -0.5)).toBe('bɜɹd')
    expect(applyStress('bɜɹd', 0.5)).toBe('bˌɜɹd')
    expect(applyStress('bˈɜɹd', 0.5)).toBe('bˈɜɹd')
    expect(applyStress('bˌɜɹd', 2)).toBe('bˈɜɹd')
    expect(applyStress('bɜɹd', 2)).toBe('bˈɜɹd')
    expect(applyStress('zz', 2)).toBe('zz')
    expect(applyStress('bˈɜɹd', undefined)).toBe('bˈɜɹd')
  })
})
