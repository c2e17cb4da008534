/** Resident memory of the main process and the warm workers, and its growth with the requests (Linux only). */
import { readCatalogue } from '../../src/voice/catalogue'
import { type BenchRow, median, printTable } from './report'
import { type Server, startServer } from './server'

const mainMegabytesMax = 200
const workerMegabytesMax = 120
const heartMegabytesMax = 260
const growthMax = 1.2
const idleMs = 2_000
const readings = 5
const readingPauseMs = 100
const clients = 4

type Phrase = { readonly text: string; readonly voiceId: string }

const phrases: readonly Phrase[] = [
  { text: 'Hello there.', voiceId: 'en-ross' },
  { text: 'The bus leaves at nine.', voiceId: 'en-clara' },
  { text: '你好，今天天气很好。', voiceId: 'zh-mei' },
  { text: 'See you tomorrow.', voiceId: 'en-angus' },
]

const heart = ['Hello there.', 'The bus leaves at nine.', 'Qwyzlek and Zorbax read the record twice.'].map(
  (text): Phrase => ({ text, voiceId: 'en-heart' }),
)

/** Megabytes. RSS counts a shared page in each of its processes; PSS divides it among them. */
type Memory = {
  main: number
  workers: number[]
  /** The workers that have loaded onnxruntime. */
  heartWorkers: number[]
  sum: number
  sumPss: number
}

export async function benchMemory(): Promise<BenchRow[]> {
  const server = await startServer()
  const hasHeart = readCatalogue().find('en-heart') !== undefined
  try {
    await speakMany(server, 20)
    const warm = await measure(server)
    await speakMany(server, 80)
    const after100 = await measure(server)
    await speakMany(server, 900)
    const after1000 = await measure(server)
    if (hasHeart) await speakMany(server, 200, heart)
    const { heartWorkers } = await measure(server)
    for (const { id, demo } of readCatalogue().voices) await server.speak(demo, { voiceId: id })
    const afterAllVoices = await measure(server)
    const row = (name: string, value: number) => ({ name, value, unit: 'MB', reference: null, ratio: null, goal: null })
    return [
      { ...row('main process, idle', warm.main), most: mainMegabytesMax },
      { ...row(`largest of ${warm.workers.length} warm workers`, Math.max(...warm.workers)), most: workerMegabytesMax },
      { ...row('main process after 1000 requests', after1000.main), most: mainMegabytesMax },
      {
        ...row(`largest of ${after1000.workers.length} workers after 1000 requests`, Math.max(...after1000.workers)),
        most: workerMegabytesMax,
      },
      ...(hasHeart
        ? [
            {
              ...row(`largest of ${heartWorkers.length} workers with Heart, 200 requests`, Math.max(...heartWorkers)),
              most: heartMegabytesMax,
            },
          ]
        : []),
      row('largest worker after all voices', Math.max(...afterAllVoices.workers)),
      growthRow('all processes, 1000 requests against 100 (RSS)', after1000.sum, after100.sum, growthMax),
      growthRow('all processes, 1000 requests against 100 (PSS)', after1000.sumPss, after100.sumPss),
    ]
  } finally {
    await server.stop()
  }
}

function growthRow(name: string, value: number, reference: number, most?: number): BenchRow {
  return { name, value, unit: 'MB', reference, ratio: value / reference, goal: null, most }
}

async function speakMany(server: Server, count: number, texts: readonly Phrase[] = phrases): Promise<void> {
  let next = 0
  const client = async () => {
    while (next < count) {
      const { text, voiceId } = texts[next++ % texts.length]!
      await server.speak(text, { voiceId })
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
}

async function measure(server: Server): Promise<Memory> {
  await Bun.sleep(idleMs)
  const found: Memory[] = []
  for (let i = 0; i < readings; i++) {
    found.push(await read(server.pid))
    await Bun.sleep(readingPauseMs)
  }
  const sum = median(found.map((memory) => memory.sum))
  return found.find((memory) => memory.sum === sum)!
}

async function read(pid: number): Promise<Memory> {
  const children = (await Bun.file(`/proc/${pid}/task/${pid}/children`).text()).trim().split(' ').map(Number)
  const main = await readProcess(pid)
  const workers = await Promise.all(children.map(readProcess))
  const all = [main, ...workers]
  const sumOf = (key: 'rss' | 'pss') => all.reduce((sum, memory) => sum + memory[key], 0)
  const megabytesOf = (isHeart: boolean) => workers.filter((one) => one.isHeart === isHeart).map(({ rss }) => rss)
  return {
    main: main.rss,
    workers: megabytesOf(false),
    heartWorkers: megabytesOf(true),
    sum: sumOf('rss'),
    sumPss: sumOf('pss'),
  }
}

async function readProcess(pid: number): Promise<{ rss: number; pss: number; isHeart: boolean }> {
  const isHeart = (await Bun.file(`/proc/${pid}/maps`).text()).includes('libonnxruntime')
  const rollup = await Bun.file(`/proc/${pid}/smaps_rollup`).text()
  const megabytes = (field: string) => (Number(new RegExp(`^${field}: +(\\d+) kB`, 'm').exec(rollup)![1]) * 1024) / 1e6
  return { rss: megabytes('Rss'), pss: megabytes('Pss'), isHeart }
}

if (import.meta.main) printTable(await benchMemory())
