/** A real worker process with a fake engine that does as the text says: work, spin, block or die. */
import { dlopen, FFIType } from 'bun:ffi'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Loadable } from '../../src/speech/voice'
import type { SpeechEngine } from '../../src/speech/engine'
import { runWorker } from '../../src/workers/worker'

const sampleRate = 16_000

/** (module (func (export "spin") (loop (br 0)))): an endless loop that only the end of the process stops. */
const spinning = Uint8Array.from([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 8, 1, 4, 115, 112, 105, 110, 0, 0, 10, 9, 1, 7, 0, 3,
  64, 12, 0, 11, 11,
])

const engine: SpeechEngine = {
  async synthesize(_voice, text) {
    if (text.startsWith('spin')) {
      const { instance } = await WebAssembly.instantiate(spinning)
      ;(instance.exports.spin as () => void)()
    }
    if (text.startsWith('block')) {
      const { symbols } = dlopen('libc.so.6', { sleep: { args: [FFIType.u32], returns: FFIType.u32 } })
      symbols.sleep(3600)
    }
    if (text.startsWith('grow')) {
      const hoard: Uint8Array[] = []
      for (;;) {
        hoard.push(new Uint8Array(16 << 20).fill(1))
        await Bun.sleep(1)
      }
    }
    if (text.startsWith('die')) process.kill(process.pid, 'SIGKILL')
    if (text.startsWith('fail')) throw new Error('the engine does not like this text')
    if (text.startsWith('silent')) return { samples: new Float32Array(sampleRate), sampleRate }
    if (text.startsWith('slow')) Bun.sleepSync(text.startsWith('slowest') ? 1_000 : 200)
    return { samples: hum(text.length * 0.06), sampleRate }
  },

  /** The words report the number of texts. */
  async synthesizeBatch(_voice, texts) {
    if (texts.some((text) => text.startsWith('die'))) process.kill(process.pid, 'SIGKILL')
    if (texts.some((text) => text.startsWith('fail'))) throw new Error('the engine does not like one of these texts')
    const words = [{ text: `one of ${texts.length}`, startSeconds: 0, endSeconds: 0.1 }]
    return texts.map((text) => ({ samples: hum(text.length * 0.06), sampleRate, words }))
  },
}

function hum(durationSeconds: number): Float32Array {
  const samples = new Float32Array(Math.round(durationSeconds * sampleRate))
  for (let i = 0; i < samples.length; i++)
    for (let harmonic = 1; harmonic < 8; harmonic++)
      samples[i]! += (0.2 / harmonic) * Math.sin((2 * Math.PI * 120 * harmonic * i) / sampleRate)
  return samples
}

/** Behaviour while loading a model, by the name of its graph. An endless load writes a file into its pack, if any. */
async function load({ model }: Loadable): Promise<SpeechEngine> {
  const graph = model?.graph ?? ''
  if (graph.startsWith('slow')) Bun.sleepSync(600)
  if (graph.startsWith('die')) process.kill(process.pid, 'SIGABRT')
  if (graph.startsWith('bad')) throw new Error('this is no graph')
  if (graph.startsWith('endless')) {
    if (existsSync(model!.directory)) await Bun.write(join(model!.directory, 'loading'), '')
    await new Promise(() => setInterval(() => {}, 1000))
  }
  return engine
}

runWorker(load)
