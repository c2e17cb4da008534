/** One request at a time, from the call to the answer, including the durable file, against the raw stages. */
import { readCatalogue } from '../../src/voice/catalogue'
import type { Spent } from './answering'
import { untilQuiet } from './quiet'
import { coresRow, startReference } from './reference'
import { type BenchRow, median, printTable } from './report'
import { startServer } from './server'
import { longText, longTextSentences, sentence } from './texts'

const warmUpRequests = 10

export async function benchRequest(): Promise<BenchRow[]> {
  const server = await startServer()
  const reference = startReference()
  const voice = readCatalogue().voices[0]!

  async function compare(name: string, most: number, rounds: { text: string; sentences: string[] }[]) {
    const ours: number[] = []
    const raw: Spent[] = []
    for (const { text, sentences } of rounds) {
      await untilQuiet()
      raw.push(await reference.run({ voice, texts: sentences, mp3: true }))
      ours.push((await server.speak(text)).seconds)
    }
    const valueMs = median(ours) * 1000
    const referenceMs = median(raw.map(({ seconds }) => seconds)) * 1000
    const row = { name, value: valueMs, unit: 'ms', reference: referenceMs, ratio: valueMs / referenceMs }
    return [{ ...row, goal: null, most }, coresRow(name, raw)]
  }

  try {
    await reference.warmUp({ voice, texts: [sentence(100)], mp3: true })
    for (let i = 0; i < warmUpRequests; i++) await Promise.all([server.speak(longText), server.speak(sentence(100))])
    const short = Array.from({ length: 25 }, (_, index) => sentence(100, index))
    return [
      ...(await compare(
        'request, 100 characters',
        1.25,
        short.map((text) => ({ text, sentences: [text] })),
      )),
      ...(await compare(
        'request, 2000 characters',
        0.7,
        Array.from({ length: 7 }, () => ({ text: longText, sentences: longTextSentences })),
      )),
    ]
  } finally {
    await Promise.all([server.stop(), reference.stop()])
  }
}

if (import.meta.main) printTable(await benchRequest())
