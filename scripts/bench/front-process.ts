/**
 * Texts to samples with the same heavy model in a separate process, with Sonant's engine or with sherpa-onnx.
 * `sherpa.ts` starts it with `ours` or `sherpa`, the number of threads, and the folder of eSpeak NG's data.
 */
import { dirname, basename } from 'node:path'
import { loadPiper } from '../../src/speech/engines/piper'
import { openRuntime } from '../../src/speech/onnx/runtime'
import { openSherpa } from '../sherpa/offline-tts'
import { answerTasks, residentBytes } from './answering'
import { readIds } from './piper-text'

/** `step`: all steps, or only text to ids (`ours` only). */
export type FrontTask = { readonly texts: readonly string[]; readonly step: 'samples' | 'ids' }
/** `grownBytes`: peak memory of the process so far, minus its memory before loading. */
export type FrontResult = { readonly seconds: number; readonly frames: number; readonly grownBytes: number }

type Speak = (text: string) => Promise<number>

const [kind, graph, threads, dataDirectory] = process.argv.slice(2) as [string, string, string, string]

async function loadOurs(): Promise<Speak> {
  const runtime = await openRuntime({ directory: '', provider: 'cpu', threads: Number(threads) })
  const files = { directory: dirname(graph), graph: basename(graph), version: '', memoryBytes: 0 }
  const engine = await loadPiper(files, runtime)
  const settings = { voice: 'heavy' }
  const voice = { id: 'heavy', engine: 'piper' as const, language: 'en-US', sampleRate: 22_050, settings }
  return async (text) => (await engine.synthesize(voice, text, { speed: 1 })).samples.length
}

function loadSherpa(): Speak {
  const vits = { model: graph, tokens: `${graph}.tokens.txt`, dataDir: dataDirectory }
  const speak = openSherpa({ vits }, Number(threads))
  return async (text) => speak(text).length
}

const beforeBytes = residentBytes('VmRSS')
let speak: Speak | undefined
answerTasks(async ({ texts, step }: FrontTask): Promise<FrontResult> => {
  speak ??= kind === 'ours' ? await loadOurs() : loadSherpa()
  const startedAtMs = performance.now()
  let frames = 0
  for (const text of texts) frames += step === 'ids' ? (await readIds(text)).length : await speak(text)
  const seconds = (performance.now() - startedAtMs) / 1000
  return { seconds, frames, grownBytes: residentBytes('VmHWM') - beforeBytes }
})
