/**
 * The raw stages called back to back in one process, without the rest of the product: engine, resampler where the rate
 * must change, mp3 encoder. `reference.ts` starts it.
 */
import { createMp3Encoder, mp3BitrateKbps, mp3SampleRate } from '../../src/audio/encode/mp3'
import { durationSeconds, toInt16 } from '../../src/audio/pcm'
import { resample } from '../../src/audio/resample'
import { loadEngineOf } from '../../src/speech/load-engine'
import { openRuntime, type Runtime } from '../../src/speech/onnx/runtime'
import type { VoiceSpec } from '../../src/speech/voice'
import type { SpeechEngine } from '../../src/speech/engine'
import { answerTasks, measureSpeaking } from './answering'

/** `texts` become one file, encoded by one encoder. Without `mp3` they are only synthesized. */
export type ReferenceTask = { readonly voice: VoiceSpec; readonly texts: readonly string[]; readonly mp3: boolean }

const engines = new Map<string, Promise<SpeechEngine>>()
let runtime: Promise<Runtime> | undefined

/** The engine of a built-in voice. */
function engineOf(voice: VoiceSpec): Promise<SpeechEngine> {
  const openOnce = () => (runtime ??= openRuntime({ directory: '', provider: 'cpu', threads: 1 }))
  const engine = engines.get(voice.engine) ?? loadEngineOf(voice, openOnce)
  engines.set(voice.engine, engine)
  return engine
}

/** Returns the seconds of audio. */
async function speak({ voice, texts, mp3 }: ReferenceTask): Promise<number> {
  const engine = await engineOf(voice)
  const sampleRate = mp3SampleRate(voice.sampleRate)
  const encoder = mp3 ? await createMp3Encoder({ sampleRate, bitrateKbps: mp3BitrateKbps(sampleRate) }) : undefined
  let audioSeconds = 0
  for (const text of texts) {
    const pcm = await engine.synthesize(voice, text)
    audioSeconds += durationSeconds(pcm)
    encoder?.append(toInt16(resample(pcm, sampleRate).samples))
  }
  encoder?.finish()
  return audioSeconds
}

answerTasks((task: ReferenceTask) => measureSpeaking(() => speak(task)))
