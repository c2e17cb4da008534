/**
 * A neural voice as heavy as a real one, over HTTP, against its raw stages with the same inputs, the same number of
 * threads and one encoder.
 */
import { cp, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Spent } from './answering'
import { type GraphProcess, startGraphProcess, writeHeavyPack } from './graph'
import { readIds } from './piper-text'
import { untilQuiet } from './quiet'
import { type BenchRow, median, printTable } from './report'
import { startServer } from './server'
import { longText, longTextSentences, sentence } from './texts'

const clients = 16
const requestsPerClient = 3
const workers = 2
const rounds = 5
const warmUpRequests = 4

export async function benchNeural(): Promise<BenchRow[]> {
  const pack = await writeHeavyPack()
  if (!pack) return []
  const server = await startServer({
    install: (directory) => cp(pack.directory, join(directory, 'heavy'), { recursive: true }),
  })
  const reference = startGraphProcess()
  try {
    const [voiceId] = await server.installedVoices()
    const speak = async (text: string) => server.speak(text, { voiceId })
    const raw = rawStages(reference, pack.graph)
    for (let i = 0; i < warmUpRequests; i++) await Promise.all([speak(sentence(100)), speak(sentence(100, i))])
    await raw([sentence(100)])

    const compare = async (name: string, most: number, texts: { text: string; sentences: string[] }[]) => {
      const [ours, theirs]: [number[], number[]] = [[], []]
      for (const { text, sentences } of texts) {
        await untilQuiet()
        theirs.push((await raw(sentences)).seconds * 1000)
        ours.push((await speak(text)).seconds * 1000)
      }
      const [value, by] = [median(ours), median(theirs)]
      return { name, value, unit: 'ms', reference: by, ratio: value / by, goal: null, most }
    }
    const short = Array.from({ length: 11 }, (_, i) => sentence(100, i)).map((text) => ({ text, sentences: [text] }))
    const long = Array.from({ length: 3 }, () => ({ text: longText, sentences: longTextSentences }))
    return [
      await compare('neural request, 100 characters', 1.1, short),
      await compare(`neural request, 2000 characters, ${workers} workers`, 0.6, long),
      await deliver(speak, raw, server.audioSeconds),
    ]
  } finally {
    await Promise.all([server.stop(), reference.stop()])
    await rm(dirname(pack.directory), { recursive: true })
  }
}

type Raw = (sentences: readonly string[]) => Promise<Spent>

function rawStages(reference: GraphProcess, path: string): Raw {
  return async (sentences) => {
    const ids = await Promise.all(sentences.map((text) => readIds(text)))
    return reference.run({ path, threads: 1, sentences: ids.flat(), mp3: true })
  }
}

/** Returns the seconds of audio per second. */
async function deliver(
  speak: (text: string) => Promise<{ seconds: number; name: string }>,
  raw: Raw,
  audioSeconds: (spoken: { seconds: number; name: string }[]) => Promise<number>,
): Promise<BenchRow> {
  const texts = Array.from({ length: clients }, (_, i) => sentence(100, i))
  const [delivered, one]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    await untilQuiet()
    const alone = await raw(texts.slice(0, 8))
    one.push(alone.audioSeconds / alone.seconds)
    await untilQuiet()
    const startedAtMs = performance.now()
    const spoken = await Promise.all(
      texts.map(async (text) => {
        const own: { seconds: number; name: string }[] = []
        for (let i = 0; i < requestsPerClient; i++) own.push(await speak(text))
        return own
      }),
    )
    const seconds = (performance.now() - startedAtMs) / 1000
    delivered.push((await audioSeconds(spoken.flat())) / seconds)
  }
  const [value, reference] = [median(delivered), workers * median(one)]
  const name = `neural, ${clients} clients (${workers} × raw stages)`
  return { name, value, unit: 's/s', reference, ratio: value / reference, goal: 0.85 }
}

if (import.meta.main) printTable(await benchNeural())
