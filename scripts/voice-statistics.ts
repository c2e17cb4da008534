/**
 * `bun scripts/voice-statistics.ts` measures the voices of the catalogue for adaptation and writes
 * `voices/statistics.json`. Adapted and neural voices are left out, because they are no bases. Run it again when a voice, an
 * engine or a measure changes; a test fails until then.
 */
import { join } from 'node:path'
import { concatenate, type Pcm } from '../src/audio/pcm'
import type { AdaptableVoice } from '../src/cloning/adapt/adaptable-voices'
import { measureVoice } from '../src/cloning/adapt/measure'
import { loadEngine } from '../src/speech/load-engine'
import type { EngineName } from '../src/speech/voice'
import type { SpeechEngine } from '../src/speech/engine'
import manifest from '../voices/catalogue.json'
import { textsOf } from './voice-texts'
import { replaceFile } from './run'

const path = join(import.meta.dir, '..', 'voices', 'statistics.json')
const voices = [...manifest.voices, ...manifest.fallbackVoices].filter(
  (voice) => !('adaptation' in voice) && voice.engine !== 'hibari',
)

/** The statistics of the voice `id`, measured on all of its sentences. */
export async function measureAdaptableVoice(
  engines: Record<EngineName, SpeechEngine>,
  id: string,
): Promise<AdaptableVoice> {
  const { engine: name, language, sample_rate: sampleRate, settings } = voices.find((voice) => voice.id === id)!
  const engine = name as EngineName
  const spoken: Pcm[] = []
  for (const text of textsOf(language))
    spoken.push(await engines[engine].synthesize({ id, engine, language, sampleRate, settings }, text))
  return { speaker: `${engine} ${settings.voice}`, statistics: measureVoice(concatenate(spoken)) }
}

async function main(): Promise<void> {
  const engines = { flite: await loadEngine('flite'), espeak: await loadEngine('espeak') }
  const measured: Record<string, AdaptableVoice> = {}
  for (const { id } of voices) measured[id] = await measureAdaptableVoice(engines, id)
  await replaceFile(path, `${JSON.stringify(measured)}\n`)
  Bun.spawnSync([process.execPath, 'fmt', '--no-script', path], { stdio: ['ignore', 'inherit', 'inherit'] })
}

if (import.meta.main) await main()
