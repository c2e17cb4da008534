/**
 * Texts to samples with a real model in a separate process, with Sonant's engine or with sherpa-onnx, on one thread.
 * `real-models.ts` starts it with `ours` or `sherpa`, the family, the folder of the files, and the form of the
 * convolutions.
 */
import { join } from 'node:path'
import { loadHibari } from '../../src/speech/engines/hibari'
import { loadKokoro } from '../../src/speech/engines/kokoro'
import { loadPiper } from '../../src/speech/engines/piper'
import { takeSnapshot } from '../../src/speech/models/snapshot'
import { openRuntime, type Runtime } from '../../src/speech/onnx/runtime'
import type { ConvolutionForm, VoiceSpec } from '../../src/speech/voice'
import { openSherpa } from '../sherpa/offline-tts'
import { answerTasks, residentBytes } from './answering'

export type RealFamily = 'piper' | 'kokoro' | 'hibari'
export type RealTask = { readonly texts: readonly string[] }
/**
 * `seconds`: of processor time. `graphSeconds`: the part of `seconds` in onnxruntime; 0 when not measured. `grownBytes`: peak memory of the process so
 * far, minus its memory before loading.
 */
export type RealResult = {
  readonly seconds: number
  readonly graphSeconds: number
  readonly frames: number
  readonly grownBytes: number
}

type Speak = (text: string) => Promise<number>

const [kind, family, directory, convolutions] = process.argv.slice(2) as [
  'ours' | 'sherpa',
  RealFamily,
  string,
  ConvolutionForm | undefined,
]
let graphSeconds = 0

/** Processor time of this process, which other programs change less than the clock. */
function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

/** Adds the time of every run to `graphSeconds`. */
function timed(runtime: Runtime): Runtime {
  return {
    ...runtime,
    async openSession(...source) {
      const session = await runtime.openSession(...source)
      return {
        ...session,
        async run(...feeds) {
          const before = cpuSeconds()
          const outputs = await session.run(...feeds)
          graphSeconds += cpuSeconds() - before
          return outputs
        },
      }
    },
  }
}

async function loadOurs(): Promise<Speak> {
  const runtime = timed(await openRuntime({ directory: '', provider: 'cpu', threads: 1 }))
  const { version } = (await takeSnapshot(directory))!
  const files = { directory, graph: 'model.onnx', version, memoryBytes: 0, convolutions }
  // Kokoro reads through eSpeak, as sherpa-onnx does.
  const engine =
    family === 'piper'
      ? await loadPiper(files, runtime)
      : family === 'kokoro'
        ? await loadKokoro(files, runtime, null)
        : await loadHibari(files, runtime)
  const voice: VoiceSpec = {
    ...{ id: 'real', engine: family, language: 'en-US', sampleRate: family === 'piper' ? 22_050 : 24_000 },
    settings: { voice: 'af_heart' },
  }
  return async (text) => (await engine.synthesize(voice, text, { speed: 1 })).samples.length
}

function loadSherpa(): Speak {
  const at = (name: string) => join(directory, name)
  const shared = { model: at('sherpa.onnx'), tokens: at('tokens.txt'), dataDir: at('espeak-ng-data') }
  const speak = openSherpa(family === 'piper' ? { vits: shared } : { kokoro: { ...shared, voices: at('voices.bin') } })
  return async (text) => speak(text).length
}

const beforeBytes = residentBytes('VmRSS')
let speak: Speak | undefined
answerTasks(async ({ texts }: RealTask): Promise<RealResult> => {
  speak ??= kind === 'ours' ? await loadOurs() : loadSherpa()
  graphSeconds = 0
  const before = cpuSeconds()
  let frames = 0
  for (const text of texts) frames += await speak(text)
  const seconds = cpuSeconds() - before
  return { seconds, graphSeconds, frames, grownBytes: residentBytes('VmHWM') - beforeBytes }
})
