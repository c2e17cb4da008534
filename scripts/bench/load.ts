/**
 * Many clients at once: the throughput of two workers, and the effect of one long text on the latency of short ones.
 */
import { readCatalogue } from '../../src/voice/catalogue'
import type { Spent } from './answering'
import { untilQuiet } from './quiet'
import { coresRow, type Reference, startReference } from './reference'
import { type BenchRow, median, printTable } from './report'
import { type Server, type Spoken, startServer } from './server'
import { longText, sentence } from './texts'

const rounds = 5
const clients = 64
/** The first request of each client fills the queue. The latency of the second is measured. */
const requestsPerClient = 2
const workers = 2
/** About 20 times what the rounds take. */
const units = 10_000_000
const shortTexts = Array.from({ length: clients }, (_, index) => sentence(100, index))
const referenceTexts = shortTexts.slice(0, 24)

type Load = { seconds: number; all: Spoken[]; latencySeconds: number }

/** Runs all clients at once. With `besideKey`, one more client of that key keeps sending long texts. */
async function load(server: Server, besideKey?: string): Promise<Load> {
  const startedAtMs = performance.now()
  let done = false
  const beside = async () => {
    while (besideKey !== undefined && !done) await server.speak(longText, { apiKey: besideKey })
  }
  const long = beside()
  const perClient = await Promise.all(
    shortTexts.map(async (text) => {
      const spoken: Spoken[] = []
      for (let i = 0; i < requestsPerClient; i++) spoken.push(await server.speak(text))
      return spoken
    }),
  )
  const seconds = (performance.now() - startedAtMs) / 1000
  done = true
  await long
  return { seconds, all: perClient.flat(), latencySeconds: median(perClient.map((spoken) => spoken.at(-1)!.seconds)) }
}

export async function benchLoad(): Promise<BenchRow[]> {
  const server = await startServer()
  const references = Array.from({ length: workers }, startReference)
  const reference = references[0]!
  const voice = readCatalogue().voices[0]!
  const otherKey = server.createKey()
  server.addUnits(units)
  const raw: Spent[] = []
  const rawAtOnce: number[] = []
  const delivered: number[] = []
  const alone: number[] = []
  const sameKey: number[] = []
  const anotherKey: number[] = []
  try {
    await Promise.all(references.map((process) => process.warmUp({ voice, texts: [shortTexts[0]!], mp3: true })))
    await load(server)
    for (let round = 0; round < rounds; round++) {
      await untilQuiet()
      raw.push(await runEach(reference))
      rawAtOnce.push(sumOf((await Promise.all(references.map(runEach))).map(audioPerSecond)))
      await untilQuiet()
      const { seconds, all, latencySeconds } = await load(server)
      delivered.push((await server.audioSeconds(all)) / seconds)
      alone.push(latencySeconds)
      sameKey.push((await load(server, server.apiKey)).latencySeconds)
      anotherKey.push((await load(server, otherKey)).latencySeconds)
    }
  } finally {
    await Promise.all([server.stop(), ...references.map((process) => process.stop())])
  }
  const value = median(delivered)
  const both = workers * median(raw.map(audioPerSecond))
  const atOnce = median(rawAtOnce)
  const name = `${clients} clients × 100 characters`
  return [
    { name: `${name} (${workers} × reference)`, value, unit: 's/s', reference: both, ratio: value / both, goal: 0.8 },
    {
      name: `${workers} references at once (2 × reference)`,
      value: atOnce,
      unit: 's/s',
      reference: both,
      ratio: atOnce / both,
      goal: null,
    },
    coresRow(name, raw),
    latencyRow('latency beside a long text, same key', sameKey, alone),
    latencyRow('latency beside a long text, another key', anotherKey, alone),
  ]

  /** Each text becomes a separate file. */
  async function runEach(process: Reference): Promise<Spent> {
    const sum = { seconds: 0, cpuSeconds: 0, audioSeconds: 0 }
    for (const text of referenceTexts) {
      const result = await process.run({ voice, texts: [text], mp3: true })
      sum.seconds += result.seconds
      sum.cpuSeconds += result.cpuSeconds
      sum.audioSeconds += result.audioSeconds
    }
    return sum
  }
}

const audioPerSecond = ({ seconds, audioSeconds }: Spent) => audioSeconds / seconds
const sumOf = (values: number[]) => values.reduce((sum, value) => sum + value, 0)

function latencyRow(name: string, beside: number[], alone: number[]): BenchRow {
  const valueMs = median(beside) * 1000
  const referenceMs = median(alone) * 1000
  return {
    name,
    value: valueMs,
    unit: 'ms',
    reference: referenceMs,
    ratio: valueMs / referenceMs,
    goal: null,
    most: 1.5,
  }
}

if (import.meta.main) printTable(await benchLoad())
