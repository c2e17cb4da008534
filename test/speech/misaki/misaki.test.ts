/**
 * Our reading of English compared with misaki's by tables from scripts/misaki/table.ts, and words with two readings.
 * docs/models.md has the figures.
 */
import { beforeAll, describe, expect, it } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compileEnglishData } from '../../../scripts/english-data'
import { openRuntime } from '../../../src/speech/onnx/runtime'
import { loadPhonemizer } from '../../../src/speech/phonemes/espeak'
import { accents, type EnglishData, openEnglishData } from '../../../src/speech/phonemes/english/data'
import { UnknownWords } from '../../../src/speech/phonemes/english/unknown-words'
import { describeWithAsset } from '../../tools'
import { findWrongReadings, homographs, homographSentences } from './homographs'
import { compareReadings, type Difference, openReaders, readTable, readWithEspeak, readWithLexicons } from './tables'

const openCpu = () =>
  openRuntime({ directory: mkdtempSync(join(tmpdir(), 'sonant-ort-')), provider: 'cpu', threads: 1 })

/** misaki reads the letter as an article. */
const spelledA = /\b[A-Z] A\b|\bA [A-Z]\b/

/** misaki also drops the dot of an abbreviation at the end of a sentence. */
function isIntended({ sentence, misaki, ours }: Difference): boolean {
  return spelledA.test(sentence) || (sentence.endsWith('.') && ours.replace(/ ?\.$/, '') === misaki)
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
    data = openEnglishData(await compileEnglishData(folder))
  }, 60_000)

  it("is read as misaki's Python package reads it", async () => {
    const readers = await openReaders(data, await openCpu(), folder)
    for (const half of ['open', 'sealed'] as const) {
      const rows = await readTable(half)
      for (const accent of accents) {
        const { phonemes, edits, differences } = await compareReadings(rows, accent, readers[accent])
        expect(phonemes).toBeGreaterThan(100_000)
        expect(edits / phonemes).toBeLessThanOrEqual(0.003)
        expect(differences.filter((difference) => !isIntended(difference))).toEqual([])
      }
    }
  }, 120_000)

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
