/**
 * The real-time factor of each voice (synthesis seconds ÷ audio seconds), on a sentence in its own language. A worker
 * process of the executable, which also trims and levels the audio, is compared with the engine alone in the reference
 * process.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeRuntimeOptions } from '../../src/speech/onnx/runtime-options'
import { planUtterances } from '../../src/speech/text/plan'
import type { ReadingVoice } from '../../src/speech/text/reading-voice'
import { startWorkerProcess, type WorkerProcess } from '../../src/workers/worker-process'
import { type BuiltInVoice, readCatalogue } from '../../src/voice/catalogue'
import { untilQuiet } from './quiet'
import { type Reference, startReference } from './reference'
import { type BenchRow, median, printTable } from './report'
import { executable } from './server'

const rounds = 5
const taskTimeoutMs = 20_000

type Measured = { voice: BuiltInVoice; ours: number[]; raw: number[] }

export async function benchVoices(): Promise<BenchRow[]> {
  const command = [await executable(), 'worker']
  const directory = await mkdtemp(join(tmpdir(), 'sonant-bench-'))
  const environment = writeRuntimeOptions({ directory, provider: 'cpu', threads: 1 })
  const worker = () => startWorkerProcess({ command, environment, memoryMaxBytes: Infinity, onExit() {} })
  const workers: Record<BuiltInVoice['engine'], WorkerProcess> = {
    flite: worker(),
    espeak: worker(),
    hibari: worker(),
  }
  const reference = startReference()
  const all: Measured[] = readCatalogue().builtIn.map((voice) => ({ voice, ours: [], raw: [] }))
  try {
    // The first round only warms up.
    for (let round = 0; round <= rounds; round++) {
      await untilQuiet()
      for (const { voice, ours, raw } of all) {
        ours.push(await inWorker(workers[voice.engine], voice))
        raw.push(await inReference(reference, voice))
      }
    }
  } finally {
    for (const process of Object.values(workers)) process.kill()
    await reference.stop()
    await rm(directory, { recursive: true })
  }
  const measured = all.map(({ voice, ours, raw }) => ({
    voice,
    value: median(ours.slice(1)),
    reference: median(raw.slice(1)),
  }))
  const engines = Object.keys(workers).map((engine) => {
    const own = measured.filter(({ voice }) => voice.engine === engine)
    return row(
      `${engine}, median of ${own.length} voices`,
      median(own.map((m) => m.value)),
      median(own.map((m) => m.reference)),
    )
  })
  return [...engines, ...measured.map(({ voice, value, reference }) => row(voice.id, value, reference))]
}

function row(name: string, value: number, reference: number): BenchRow {
  return { name: `real-time factor of ${name}`, value, unit: 's/s', reference, ratio: value / reference, goal: null }
}

/** Returns the engine's input for the demo sentence. */
function utterancesOf(voice: BuiltInVoice) {
  const speaker: ReadingVoice = { id: voice.id, language: voice.language, charactersMax: Infinity }
  return planUtterances(voice.demo, speaker, () => speaker)
}

async function inWorker(worker: WorkerProcess, voice: BuiltInVoice): Promise<number> {
  let seconds = 0
  let frames = 0
  for (const { text, letters, symbols } of utterancesOf(voice)) {
    const { sampleRate } = voice
    const startedAtMs = performance.now()
    const task = { kind: 'synthesize', voice, text, letters, symbols, sampleRate, speed: 1, pauseMs: 0 } as const
    const { outcome, chunks } = await worker.run(task, taskTimeoutMs)
    seconds += (performance.now() - startedAtMs) / 1000
    if (!outcome.ok) throw new Error(`${voice.id}: ${outcome.message}`)
    for (const samples of chunks.flat()) frames += samples.length
  }
  return seconds / (frames / voice.sampleRate)
}

async function inReference(reference: Reference, voice: BuiltInVoice): Promise<number> {
  const texts = utterancesOf(voice).map(({ text }) => text)
  const { seconds, audioSeconds } = await reference.run({ voice, texts, mp3: false })
  return seconds / audioSeconds
}

if (import.meta.main) printTable(await benchVoices())
