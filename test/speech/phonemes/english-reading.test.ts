/** misaki's English as tokens with words, and its built-in data. */
import { beforeAll, describe, expect, it } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepareBuiltIn } from '../../../scripts/assets/built-in'
import { openRuntime } from '../../../src/speech/onnx/runtime'
import { openEnglishData } from '../../../src/speech/phonemes/english/data'
import { createEnglishReader } from '../../../src/speech/phonemes/english/reader'
import { hasEnglishReading, openEnglishReader, speakEnglish } from '../../../src/speech/phonemes/english-reading'
import { describeWithAsset } from '../../tools'
import { compileFiles, tinyAssets } from './english/tiny-data'

describe('spoken English', () => {
  it('gives each phoneme its word, and none to marks, spaces and silent words', async () => {
    const data = openEnglishData(await compileFiles(tinyAssets))
    const reader = createEnglishReader(data, 'american', async () => '')
    const { tokens, words } = await speakEnglish(reader, "Hello, cat's  xyz apple.")
    expect(tokens.map(({ text }) => text).join('')).toBe('həlˈO, kˈæts ˈæpᵊl.')
    expect(words).toEqual(['Hello', "cat's", 'apple'])
    const spoken = (word: number) => tokens.filter((token) => token.word === word).map(({ text }) => text)
    expect([0, 1, 2].map((word) => spoken(word).join(''))).toEqual(['həlˈO', 'kˈæts', 'ˈæpᵊl'])
    expect(spoken(-1).join('')).toBe(',  .')
  })
})

describeWithAsset('hibari', 'the built-in reading of English', () => {
  // Compiles the data if no build has done so.
  beforeAll(() => prepareBuiltIn({ sources: [] }), 60_000)

  const runtime = openRuntime({ directory: mkdtempSync(join(tmpdir(), 'sonant-ort-')), provider: 'cpu', threads: 1 })
  const read = async (text: string, accent: 'american' | 'british' = 'american') =>
    (await (await openEnglishReader(await runtime, accent)).read(text)).phonemes

  it('reads words, words of no lexicon, and letters of other scripts', async () => {
    expect(hasEnglishReading()).toBe(true)
    expect(await read('I read the blorking record to my father.')).toBe('ˌI ɹˈɛd ðə blˈɔɹkɪŋ ɹˈɛkəɹd tə mI fˈɑðəɹ.')
    expect(await read('I waited for my father.', 'british')).toBe('ˌI wˈAtɪd fɔː mI fˈɑːðə.')
    // The network lacks the letter.
    expect(await read('The Ж and the 你.')).toContain('ðə')
  }, 30_000)
})
