/**
 * Measures every voice of the catalogue for adaptation and writes `voices/statistics.json`. To be run again when a
 * voice, an engine or a measure changes: `bun scripts/voice-statistics.ts`.
 */
import { join } from 'node:path'
import { concatenate, type Pcm } from '../src/audio/pcm'
import type { BaseVoice } from '../src/speech/adapt/base-voices'
import { measureVoice, type VoiceStatistics } from '../src/speech/adapt/measure'
import { loadEngine, type EngineName, type SpeechEngine } from '../src/speech/engine'
import manifest from '../voices/catalogue.json'
import { textsOf } from './voice-texts'

const path = join(import.meta.dir, '..', 'voices', 'statistics.json')

/** The statistics of one voice, from all the sentences there are for it. */
async function measure(
  engine: SpeechEngine,
  voice: (typeof manifest.companionVoices)[number],
): Promise<VoiceStatistics> {
  const { id, language, sample_rate: sampleRate, settings } = voice
  const spoken: Pcm[] = []
  for (const text of textsOf(language))
    spoken.push(
      await engine.synthesize({ id, engine: voice.engine as EngineName, language, sampleRate, settings }, text),
    )
  return measureVoice(concatenate(spoken))
}

const engines = { flite: await loadEngine('flite'), espeak: await loadEngine('espeak') }
const baseVoices: Record<string, BaseVoice> = {}
for (const voice of [...manifest.voices, ...manifest.companionVoices])
  baseVoices[voice.id] = {
    speaker: `${voice.engine} ${voice.settings.voice}`,
    statistics: await measure(engines[voice.engine as EngineName], voice),
  }
await Bun.write(path, `${JSON.stringify(baseVoices)}\n`)
Bun.spawnSync([process.execPath, 'fmt', '--no-script', path], { stdio: ['ignore', 'inherit', 'inherit'] })
