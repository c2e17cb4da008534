/**
 * Our reading of English compared with misaki's by tables from scripts/misaki/table.ts, and words with two readings.
 * docs/models.md has the figures.
 */
import { beforeAll, describe, expect, it } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepareBuiltIn } from '../../../scripts/assets/built-in'
import { readEnglishData } from '../../../src/assets/built-in'
import { openRuntime } from '../../../src/speech/onnx/runtime'
import { loadPhonemizer } from '../../../src/speech/phonemes/espeak'
import { accents, type EnglishData, openEnglishData } from '../../../src/speech/phonemes/english/data'
import { UnknownWords } from '../../../src/speech/phonemes/english/unknown-words'
import { describeWithAsset } from '../../tools'
import { findWrongReadings, homographs, homographSentences } from './homographs'
import { compareReadings, type Difference, openReaders, readTable, readWithEspeak, readWithLexicons } from './tables'

const openCpu = () =>
  openRuntime({ directory: mkdtempSync(join(tmpdir(), 'sonant-ort-')), provider: 'cpu', threads: 1 })

/** The package reads the letter as an article or a pronoun. */
const spelledLetter = /\b[A-Z] [AI]\b|\b[AI] [A-Z]\b/

/** misaki also drops the dot of an abbreviation at the end of a sentence. */
function isIntended({ sentence, misaki, ours }: Difference): boolean {
  return spelledLetter.test(sentence) || (sentence.endsWith('.') && ours.replace(/ ?\.$/, '') === misaki)
}

describe('the sentences', () => {
  it('of the tables are many, and each is in one half', async () => {
    const [open, sealed] = [await readTable('open'), await readTable('sealed')]
    const sentences = [...open, ...sealed].map(([sentence]) => sentence)
    expect(sentences.length).toBeGreaterThanOrEqual(3_000)
    expect(new Set(sentences).size).toBe(sentences.length)
  })

  it('of words with two readings have their word once', () => {
    expect(homographSentences.length).toBeGreaterThanOrEqual(150)
    const wrong = homographs.flatMap(({ word, readings }) =>
      readings
        .flatMap(({ sentences }) => sentences)
        .filter((sentence) => sentence.match(new RegExp(`\\b${word}\\b`, 'gi'))?.length !== 1),
    )
    expect(wrong).toEqual([])
  })
})

describeWithAsset('hibari', 'English', (asset) => {
  const folder = join(asset, 'hibari/assets')
  let data: EnglishData
  beforeAll(async () => {
    // Compiles the data if no build has done so.
    const { english } = (await prepareBuiltIn({ sources: [] }))!
    data = openEnglishData(await readEnglishData(english.data))
  }, 60_000)

  it("is read as misaki's Python package reads it", async () => {
    const readers = await openReaders(data, await openCpu(), folder)
    for (const half of ['open', 'sealed'] as const) {
      // The package loses double quotation marks and misreads the words beside them.
      const rows = (await readTable(half)).filter(([sentence]) => !sentence.includes('"'))
      expect(rows.length).toBeGreaterThan(1_300)
      for (const accent of accents) {
        const { phonemes, edits, differences } = await compareReadings(rows, accent, readers[accent])
        expect(phonemes).toBeGreaterThan(70_000)
        expect(edits / phonemes).toBeLessThanOrEqual(0.003)
        expect(differences.filter((difference) => !isIntended(difference))).toEqual([])
      }
    }
  }, 120_000)

  it('is read in quotation marks as without them', async () => {
    const { american } = await openReaders(data, await openCpu(), folder)
    const read = async (text: string) =>
      (await american.read(text)).phonemes
        .replace(/[“”]/g, '')
        .replace(/ +/g, ' ')
        .replace(/ (?=[.,;:!?…]|$)/g, '')
        .trim()
    const quoted = (await readTable('open')).map(([sentence]) => sentence).filter((text) => / "\w|\w" /.test(text))
    const wordly = quoted.filter((text) => !/[^\s(]"[^\s.,;:!?)]/.test(text))
    expect(wordly.length).toBeGreaterThan(50)
    const different: string[][] = []
    for (const text of wordly) {
      const [quoted, plain] = [await read(text), await read(text.replaceAll('"', ''))]
      if (quoted !== plain) different.push([text, quoted, plain])
    }
    expect(different).toEqual([])
  }, 60_000)

  it('is read with fewer wrong readings of ambiguous words than by eSpeak NG', async () => {
    const ours = await findWrongReadings(readWithLexicons(data))
    const espeak = await findWrongReadings(readWithEspeak(await loadPhonemizer()))
    expect(ours.length).toBeLessThanOrEqual(26)
    expect(ours.length).toBeLessThan(espeak.length)
  }, 60_000)

  it('has a reading for each invented word, the same each time', async () => {
    const network = await UnknownWords.open(await openCpu(), join(folder, 'oov.onnx'), data.networks.american)
    expect(await network.read('blorking')).toBe('blˈɔɹkɪŋ')
    expect(await network.read('blorking')).toBe('blˈɔɹkɪŋ')
    expect(await network.read('你好')).toBe('')
    expect(await network.read('x'.repeat(1_000))).not.toBe('')
    await network.close()
  }, 60_000)
})
