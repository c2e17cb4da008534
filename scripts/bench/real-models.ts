/**
 * Real neural voices against their references, on one thread, with the same files, in alternating rounds: sherpa-onnx,
 * and the voices' own Python packages where `SONANT_BENCH_PYTHON` names a Python that has piper-tts, kokoro-onnx and
 * hibari-tts. The fastest round counts, because it is the least disturbed by other programs.
 */
import { readFileSync } from 'node:fs'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Glob } from 'bun'
import { chooseConvolutions } from '../../src/packs/probe'
import { openRuntime } from '../../src/speech/onnx/runtime'
import { runtimeSettings } from '../../src/workers/worker-process'
import { textsOf } from '../voice-texts'
import { startLineProcess } from './line-process'
import { startAnswering } from './process'
import type { RealFamily, RealResult, RealTask } from './real-engine'
import { addSherpaFiles, missingFor, writeEspeakData, writeRealPack } from './real-folders'
import { type BenchRow, printTable } from './report'
import { startServer } from './server'

const python = process.env['SONANT_BENCH_PYTHON']
/** `SONANT_BENCH_FAMILIES=piper,hibari` measures only these. */
const families = ['piper', 'kokoro', 'hibari'] as const
const plans = {
  piper: { title: 'Joe', texts: 8, rounds: 7, warmUps: 2, sherpa: 1.05, package: 'piper-tts' },
  kokoro: { title: 'Kokoro int8', texts: 4, rounds: 3, warmUps: 1, sherpa: 1.05, package: 'kokoro-onnx' },
  hibari: { title: 'Heart', texts: 20, rounds: 9, warmUps: 4, sherpa: null, package: 'hibari-tts' },
} as const

type Voice = { run(task: RealTask): Promise<RealResult>; stop(): Promise<void> }
type Measured = { best: RealResult; last: RealResult }

export async function benchRealModels(): Promise<BenchRow[]> {
  const wanted = process.env['SONANT_BENCH_FAMILIES']?.split(',')
  const rows: BenchRow[] = []
  for (const family of families) {
    if (wanted && !wanted.includes(family)) continue
    const missing = missingFor(family)
    if (missing) rows.push(notMeasured(`${plans[family].title} (missing: ${missing})`))
    else rows.push(...(await inFolder((directory) => benchFamily(family, directory))))
  }
  if (python === undefined) rows.push(notMeasured('the Python packages (SONANT_BENCH_PYTHON names none)'))
  return rows
}

async function benchFamily(family: RealFamily, directory: string): Promise<BenchRow[]> {
  const plan = plans[family]
  const texts = textsOf('en-US').slice(0, plan.texts)
  const pack = join(directory, 'pack')
  await writeRealPack(family, pack)
  // As when the pack is tested; in this process, so that it does not count as memory of the other.
  const runtime = await openRuntime({ directory, provider: 'cpu', threads: 1 })
  const form = await chooseConvolutions(pack, { runtime: async () => runtime, memoryMaxBytes: Infinity })
  if (form) console.error(`${plan.title}: convolutions ${form}`)
  const ours = startVoice(['ours', family, pack, ...(form ? [form] : [])])
  const others: Record<string, Voice> = {}
  if (family !== 'hibari') {
    const files = join(directory, 'sherpa')
    await cp(pack, files, { recursive: true })
    await addSherpaFiles(family, files, await writeEspeakData(join(directory, 'espeak')))
    others['sherpa'] = startVoice(['sherpa', family, files])
  }
  if (python !== undefined) others['python'] = startPython(family, pack)
  try {
    const voices = { ours, ...others }
    for (let i = 0; i < plan.warmUps; i++) await ours.run({ texts })
    const measured = await measure(voices, texts, plan.rounds)
    const rows = compare(family, measured)
    if (family === 'piper' && others['python']) rows.push(...(await benchRequests(pack, others['python'], texts)))
    return rows
  } finally {
    await Promise.all([ours, ...Object.values(others)].map((voice) => voice.stop()))
  }
}

/** The fastest of `rounds` alternating rounds of each voice. */
async function measure(
  voices: Readonly<Record<string, Voice>>,
  texts: readonly string[],
  rounds: number,
): Promise<Record<string, Measured>> {
  const measured: Record<string, Measured> = {}
  for (const voice of Object.values(voices)) await voice.run({ texts: texts.slice(0, 1) })
  for (let round = 0; round < rounds; round++)
    for (const [name, voice] of Object.entries(voices)) {
      const last = await voice.run({ texts })
      const before = measured[name]?.best
      measured[name] = { best: before && before.seconds <= last.seconds ? before : last, last }
    }
  return measured
}

/** In milliseconds per second of sound. */
function compare(family: RealFamily, { ours, sherpa, python }: Record<string, Measured>): BenchRow[] {
  const plan = plans[family]
  const rate = family === 'piper' ? 22_050 : 24_000
  const perSecond = (value: number, { frames }: RealResult) => (value * 1000 * rate) / frames
  const row = (name: string, value: number, reference: number, most: number | null): BenchRow => {
    const goal = most === null ? { goal: null } : { goal: null, most }
    return { name: `${plan.title}: ${name}`, value, unit: 'ms/s', reference, ratio: value / reference, ...goal }
  }
  const whole = ({ best }: Measured) => perSecond(best.seconds, best)
  const graph = ({ best }: Measured) => perSecond(best.graphSeconds, best)
  const rows: BenchRow[] = []
  if (sherpa) {
    rows.push(row('text to samples / sherpa-onnx', whole(ours!), whole(sherpa), plan.sherpa))
    const [value, reference] = [ours!.last.grownBytes / 1e6, sherpa.last.grownBytes / 1e6]
    const name = `${plan.title}: growth of the process at its peak / sherpa-onnx`
    rows.push({ name, value, unit: 'MB', reference, ratio: value / reference, goal: null })
  }
  if (python) {
    const whichGoal = { piper: null, kokoro: 1, hibari: 0.9 }[family]
    rows.push(row(`text to samples / ${plan.package}`, whole(ours!), whole(python), whichGoal))
    rows.push(row(`graph / ${plan.package}`, graph(ours!), graph(python), family === 'piper' ? 1 : null))
  }
  return rows
}

/**
 * Whole requests, 44.1 kHz wav and stored, against the bare samples of the Python package. On a busy machine only the
 * processor time tells much: workers have a lower priority than the package.
 */
async function benchRequests(pack: string, reference: Voice, texts: readonly string[]): Promise<BenchRow[]> {
  const server = await startServer({
    settled: false,
    install: (directory) => cp(pack, join(directory, 'joe'), { recursive: true }),
  })
  try {
    const [voiceId] = await server.installedVoices()
    const speakAll = async () => {
      for (const text of texts) await server.speak(text, { voiceId, format: 'wav' })
    }
    for (let i = 0; i < plans.piper.warmUps; i++) await speakAll()
    const ours = { wall: Infinity, cpu: Infinity }
    const theirs = { wall: Infinity, cpu: Infinity }
    const keep = (best: typeof ours, startedAtMs: number, cpuSeconds: number) => {
      best.wall = Math.min(best.wall, performance.now() - startedAtMs)
      best.cpu = Math.min(best.cpu, cpuSeconds * 1000)
    }
    for (let round = 0; round < plans.piper.rounds; round++) {
      const [before, startedAtMs] = [treeCpuSeconds(server.pid), performance.now()]
      await speakAll()
      keep(ours, startedAtMs, treeCpuSeconds(server.pid) - before)
      const referenceAtMs = performance.now()
      keep(theirs, referenceAtMs, (await reference.run({ texts })).seconds)
    }
    return (['wall', 'cpu'] as const).map((kind) => {
      const name = `Joe: whole requests, wav / samples of piper-tts${kind === 'cpu' ? ', processor time' : ''}`
      const [value, other] = [ours[kind], theirs[kind]]
      return { name, value, unit: 'ms', reference: other, ratio: value / other, goal: null, most: 1.1 }
    })
  } finally {
    await server.stop()
  }
}

const clockTicksPerSecond = 100

/** Processor time of a process and its children (Linux). */
function treeCpuSeconds(root: number): number {
  const processes = [...new Glob('[0-9]*/stat').scanSync({ cwd: '/proc', onlyFiles: false })].flatMap((file) => {
    try {
      // After the name in brackets: state, parent, ten further fields, user and system time.
      const fields = readFileSync(join('/proc', file), 'utf8').split(') ').at(-1)!.split(' ')
      return { id: parseInt(file, 10), parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) }
    } catch {
      // It has ended.
      return []
    }
  })
  const ticksOf = (id: number): number =>
    processes.reduce((sum, one) => sum + (one.id === id ? one.ticks : one.parent === id ? ticksOf(one.id) : 0), 0)
  return ticksOf(root) / clockTicksPerSecond
}

function startVoice(args: string[]): Voice {
  const environment = args[0] === 'ours' ? runtimeSettings : {}
  return startAnswering<RealTask, RealResult>('real-engine.ts', { args, environment })
}

function startPython(family: RealFamily, pack: string): Voice {
  const script = join(import.meta.dir, 'real-models.py')
  const { ask, stop } = startLineProcess([python!, script, family, pack], { OMP_NUM_THREADS: '1' })
  return { run: async ({ texts }) => JSON.parse(await ask(texts)) as RealResult, stop }
}

async function inFolder<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'sonant-bench-real-'))
  try {
    return await work(directory)
  } finally {
    await rm(directory, { recursive: true })
  }
}

function notMeasured(name: string): BenchRow {
  return { name: `not measured: ${name}`, value: null, unit: '', reference: null, ratio: null, goal: null }
}

if (import.meta.main) printTable(await benchRealModels())
