/** misaki's reading of English against eSpeak NG's, and the cost of opening its data. */
import { findBuiltIn, readEnglishData } from '../../src/assets/built-in'
import { type EnglishData, openEnglishData } from '../../src/speech/phonemes/english/data'
import { createEnglishReader } from '../../src/speech/phonemes/english/reader'
import { speakEnglish } from '../../src/speech/phonemes/english-reading'
import { loadPhonemizer } from '../../src/speech/phonemes/espeak'
import { speakKokoro } from '../../src/speech/phonemes/kokoro'
import { readTable } from '../../test/speech/misaki/tables'
import { type BenchRow, median, printTable } from './report'

const rounds = 7
const sentencesPerRound = 200
const charactersMin = 60
const openMsMax = 50
const residentMbMax = 40

/** Words that the lexicons lack are silent; the network takes 0.6 ms for each new one. */
const silent = async () => ''

export async function benchEnglish(): Promise<BenchRow[]> {
  const files = findBuiltIn()?.english
  if (files === undefined) {
    const name = 'reading English: not measured, its data is not in the cache (bun scripts/assets.ts hibari)'
    return [{ name, value: null, unit: 'ms', reference: null, ratio: null, goal: null }]
  }
  const residentBefore = residentMb()
  const bytes = await readEnglishData(files.data)
  const startedAtMs = performance.now()
  const data = openEnglishData(bytes)
  const openMs = performance.now() - startedAtMs
  await createEnglishReader(data, 'american', silent).read('Hello there.')
  const residentGrowthMb = residentMb() - residentBefore
  return [
    { name: 'opening the data for English', value: openMs, unit: 'ms', ...noReference, most: openMsMax },
    {
      name: 'memory of the data for English',
      value: residentGrowthMb,
      unit: 'MB',
      ...noReference,
      most: residentMbMax,
    },
    await compareFrontEnds(data),
  ]
}

const noReference = { reference: null, ratio: null, goal: null }

function residentMb(): number {
  Bun.gc(true)
  return process.memoryUsage.rss() / 1e6
}

async function compareFrontEnds(data: EnglishData): Promise<BenchRow> {
  const texts = (await readTable('open'))
    .map(([sentence]) => sentence)
    .filter((sentence) => sentence.length >= charactersMin)
    .slice(0, sentencesPerRound)
  const reader = createEnglishReader(data, 'american', silent)
  const readers = { phonemizer: await loadPhonemizer(), english: undefined }
  const vocabulary = new Map([['ᵊ', 1]])
  const characters = texts.reduce((sum, text) => sum + text.length, 0)
  async function timePer100(read: (text: string) => Promise<unknown>): Promise<number> {
    const startedAtMs = performance.now()
    for (const text of texts) await read(text)
    return ((performance.now() - startedAtMs) / characters) * 100
  }
  const times: { ours: number; espeak: number }[] = []
  for (let round = 0; round < rounds; round++)
    times.push({
      ours: await timePer100((text) => speakEnglish(reader, text)),
      espeak: await timePer100((text) => speakKokoro(readers, text, 'af_heart', vocabulary)),
    })
  const value = median(times.map(({ ours }) => ours))
  const reference = median(times.map(({ espeak }) => espeak))
  const name = '100 characters of English to phonemes, against eSpeak NG'
  return { name, value, unit: 'ms', reference, ratio: value / reference, goal: null, most: 1 }
}

if (import.meta.main) printTable(await benchEnglish())
