/**
 * A worker process whose installed voices hum at the pitch of their settings: 24 kHz, length by the text. The voice
 * `broken` fails.
 */
import { loadEngineOf } from '../../../src/speech/load-engine'
import type { SpeechEngine } from '../../../src/speech/engine'
import { runWorker } from '../../../src/workers/worker'
import { makeVoice } from '../../audio/analysis/voices'

const installed: SpeechEngine = {
  async synthesize({ settings }, text) {
    if (settings.voice === 'broken') throw new Error('this voice is broken')
    const f0At = (time: number) => settings.pitchHz! * (1 + 0.1 * Math.sin(4 * time))
    return makeVoice({ seconds: 0.5 + text.length * 0.05, sampleRate: 24_000, f0At })
  },
}

runWorker((voice) =>
  voice.model
    ? Promise.resolve(installed)
    : loadEngineOf(voice, () => Promise.reject(new Error('no voice here has a real model'))),
)
