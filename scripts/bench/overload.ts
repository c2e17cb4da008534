/**
 * Overload of two workers: their throughput relative to their capacity, its distribution among keys, the time to a
 * refusal, and failures of admitted requests. Requests come at fixed times, as from many users, whatever became of earlier
 * ones (open loop). Every level ends with its last answer.
 */
import { cp, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { writeHeavyPack } from './graph'
import { untilQuiet } from './quiet'
import { type BenchRow, median, printTable } from './report'
import { startServer, type Server } from './server'
import { longText, sentence } from './texts'

/** The offered load in multiples of the capacity, and its duration. Admitted requests then take up to 39 s more. */
const levels = [
  { load: 0.5, seconds: 20 },
  { load: 1, seconds: 20 },
  { load: 2, seconds: 20 },
  { load: 5, seconds: 20 },
  { load: 10, seconds: 40 },
]
const keyCount = 8
const capacitySeconds = 8
const clients = 2
const warmUpRequests = 6
const units = 10_000_000
const goodputGoal = 0.8
/** Every fourth text is long. */
const texts = Array.from({ length: 64 }, (_, i) => (i % 4 === 0 ? longText : sentence(200, i)))

type Answer = { key: string; status: number; characters: number; seconds: number; endedAtMs: number }

export async function benchOverload(): Promise<BenchRow[]> {
  const pack = await writeHeavyPack()
  const server = await startServer({
    install: async (directory) => {
      if (pack) await cp(pack.directory, join(directory, 'heavy'), { recursive: true })
    },
  })
  try {
    server.addUnits(units)
    const keys = Array.from({ length: keyCount }, () => server.createKey())
    for (let i = 0; i < warmUpRequests; i++) await Promise.all([server.speak(longText), server.speak(texts[1]!)])
    const rows: BenchRow[] = []
    await untilQuiet()
    let capacity = await measureCapacity(server)
    for (const { load, seconds } of levels) {
      const offered = capacity * load
      const level = await offerLoad(server, { keys, charactersPerSecond: offered, seconds })
      // Before and after: on a shared machine it changes.
      const after = await measureCapacity(server)
      rows.push(...rowsOf(level, { keys, most: Math.min(offered, (capacity + after) / 2), load }))
      capacity = after
    }
    if (pack) rows.push(...(await tenLongTexts(server)))
    return rows
  } finally {
    await server.stop()
    if (pack) await rm(dirname(pack.directory), { recursive: true })
  }
}

/** Returns the characters per second with as many clients as workers. */
async function measureCapacity(server: Server): Promise<number> {
  const startedAtMs = performance.now()
  let characters = 0
  let next = 0
  const client = async () => {
    while (performance.now() - startedAtMs < capacitySeconds * 1000) {
      const text = texts[next++ % texts.length]!
      await server.speak(text)
      characters += text.length
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return (characters / (performance.now() - startedAtMs)) * 1000
}

type Level = { readonly startedAtMs: number; readonly answers: readonly Answer[] }

/** `charactersPerSecond`: of the texts that come. */
async function offerLoad(
  server: Server,
  { keys, charactersPerSecond, seconds }: { keys: readonly string[]; charactersPerSecond: number; seconds: number },
): Promise<Level> {
  const asked: Promise<Answer>[] = []
  const startedAtMs = performance.now()
  let offered = 0
  for (let i = 0; offered < charactersPerSecond * seconds; i++) {
    await untilMs(startedAtMs + (offered / charactersPerSecond) * 1000)
    const text = texts[i % texts.length]!
    // Over the rounds all keys get the same number of long texts.
    asked.push(ask(server, { text, key: keys[(i + Math.floor(i / 4)) % keys.length]! }))
    offered += text.length
  }
  return { startedAtMs, answers: await Promise.all(asked) }
}

function rowsOf(
  { startedAtMs, answers }: Level,
  { keys, most, load }: { keys: readonly string[]; /** Capacity, characters per second. */ most: number; load: number },
): BenchRow[] {
  const done = answers.filter(({ status }) => status === 200)
  const refused = answers.filter(({ status }) => status === 429)
  const failed = answers.length - done.length - refused.length
  const endedAtMs = Math.max(...done.map((answer) => answer.endedAtMs))
  const value = (sum(done.map(({ characters }) => characters)) / (endedAtMs - startedAtMs)) * 1000
  const name = `${load} × capacity`
  const ratio = value / most
  const rows: BenchRow[] = [
    { name: `goodput at ${name} (alone)`, value, unit: '/s', reference: most, ratio, goal: goodputGoal },
    { name: `let in and failed at ${name}`, ...only(failed, `of ${done.length + failed}`), most: 0 },
  ]
  if (refused.length === 0) return rows
  const served = keys.map((key) => sum(done.filter((answer) => answer.key === key).map((answer) => answer.characters)))
  const waits = refused.map((answer) => answer.seconds * 1000).sort((a, b) => a - b)
  const fairness = sum(served) ** 2 / (served.length * sum(served.map((value) => value ** 2)))
  return [
    ...rows,
    {
      name: `Jain's index of ${keyCount} keys at ${name} (1)`,
      value: fairness,
      unit: '',
      reference: 1,
      ratio: fairness,
      goal: 0.9,
    },
    { name: `refusal at ${name}, median of ${refused.length}`, ...only(median(waits), 'ms') },
    { name: `refusal at ${name}, 99 %`, ...only(waits[Math.ceil(waits.length * 0.99) - 1]!, 'ms') },
  ]
}

/** Ten long texts of the heavy voice, which two workers cannot speak within a minute. */
async function tenLongTexts(server: Server): Promise<BenchRow[]> {
  const [voiceId] = await server.installedVoices()
  for (let i = 1; i < 8; i++) if (i % 4 > 0) await server.speak(texts[i]!, { voiceId })
  const keys = Array.from({ length: 10 }, () => server.createKey())
  await untilQuiet()
  const answers = await Promise.all(keys.map((key) => ask(server, { text: longText, key, voiceId })))
  const counts = [200, 429].map((status) => answers.filter((answer) => answer.status === status).length)
  const waits = answers.filter(({ status }) => status === 429).map(({ seconds }) => seconds * 1000)
  const name = 'ten long texts of a heavy voice at once'
  return [
    { name: `${name}: done`, ...only(counts[0]!, `of ${answers.length}`) },
    { name: `${name}: refused`, ...only(counts[1]!, `of ${answers.length}`) },
    { name: `${name}: slowest refusal`, ...only(Math.max(0, ...waits), 'ms') },
    { name: `${name}: failed`, ...only(answers.length - sum(counts), `of ${answers.length}`), most: 0 },
  ]
}

const only = (value: number, unit: string) => ({ value, unit, reference: null, ratio: null, goal: null })

async function ask(
  { baseUrl }: Server,
  { text, key, voiceId }: { text: string; key: string; voiceId?: string },
): Promise<Answer> {
  const sentAtMs = performance.now()
  const response = await fetch(`${baseUrl}/api/v1/tts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ text, voice_id: voiceId }),
  })
  const { status } = response
  const answer = await response.text()
  if (status !== 200 && status !== 429) console.error(answer)
  const endedAtMs = performance.now()
  return { key, status, characters: text.length, seconds: (endedAtMs - sentAtMs) / 1000, endedAtMs }
}

async function untilMs(atMs: number): Promise<void> {
  const waitMs = atMs - performance.now()
  if (waitMs > 0) await Bun.sleep(waitMs)
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

if (import.meta.main) printTable(await benchOverload())
