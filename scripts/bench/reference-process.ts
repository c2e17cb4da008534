/**
 * The raw stages called back to back in one process, with nothing of the product around them: engine, sample rate where
 * it must change, mp3 encoder. Started by `reference.ts`.
 */
import { createMp3Encoder, mp3BitrateKbps, mp3SampleRate } from '../../src/audio/encode/mp3'
import { durationSeconds, toInt16 } from '../../src/audio/pcm'
import { resample } from '../../src/audio/resample'
import { loadEngine, type EngineName, type SpeechEngine, type VoiceSpec } from '../../src/speech/engine'

/** `texts` become one sound, encoded by one encoder; without `mp3` they are only synthesized. */
export type ReferenceTask = { readonly voice: VoiceSpec; readonly texts: readonly string[]; readonly mp3: boolean }
/** Seconds of wall clock, of processor time of all threads of the process, and of sound. */
export type ReferenceResult = { readonly seconds: number; readonly cpuSeconds: number; readonly audioSeconds: number }

const engines = new Map<EngineName, Promise<SpeechEngine>>()

function engineOf(name: EngineName): Promise<SpeechEngine> {
  const engine = engines.get(name) ?? loadEngine(name)
  engines.set(name, engine)
  return engine
}

/** Returns the seconds of sound. */
async function speak({ voice, texts, mp3 }: ReferenceTask): Promise<number> {
  const engine = await engineOf(voice.engine as EngineName)
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

process.on('message', async (task: ReferenceTask) => {
  const cpuBefore = process.cpuUsage()
  const startedAtMs = performance.now()
  const audioSeconds = await speak(task)
  const seconds = (performance.now() - startedAtMs) / 1000
  const { user, system } = process.cpuUsage(cpuBefore)
  process.send!({ seconds, cpuSeconds: (user + system) / 1e6, audioSeconds } satisfies ReferenceResult)
})
process.on('disconnect', () => process.exit(0))
