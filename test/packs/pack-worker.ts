/** A worker process like the real one, except that its Piper voices hum. They still need their pack. */
import { loadEngineOf } from '../../src/speech/load-engine'
import type { SpeechEngine } from '../../src/speech/engine'
import type { Loadable } from '../../src/speech/voice'
import { requireUnchanged } from '../../src/speech/models/snapshot'
import { runWorker } from '../../src/workers/worker'

const sampleRate = 16_000
const secondsPerCharacter = 0.07

const hum: SpeechEngine = {
  async synthesize({ settings }, text) {
    if (text.toLowerCase().includes('slow')) await Bun.sleep(700)
    const hz = 150 * (1 + (settings.speaker ?? 0))
    const samples = new Float32Array(Math.ceil(text.length * secondsPerCharacter * sampleRate))
    for (let i = 0; i < samples.length; i++)
      samples[i] =
        0.3 * Math.sin((2 * Math.PI * hz * i) / sampleRate) * (0.6 + 0.4 * Math.sin((2 * Math.PI * 4 * i) / sampleRate))
    return { samples, sampleRate }
  },
}

async function load(voice: Loadable): Promise<SpeechEngine> {
  if (!voice.model) return loadEngineOf(voice, () => Promise.reject(new Error('nobody needs it')))
  await requireUnchanged(voice.model)
  return hum
}

if (import.meta.main) runWorker(load)
