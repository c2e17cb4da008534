/** Recordings to clone from: speech of the executable itself, and edits of a WAV without tools. */
import { fromInt16, toInt16 } from '../../src/audio/pcm'
import { createWavEncoder } from '../../src/audio/encode/wav'
import type { Server } from './client'

const text = 'The old house on the hill was sold last month, and we are going home.'

/** Some seconds of a catalogue voice, as a WAV of 44.1 kHz; another `text` gives another recording. */
export async function recordVoice(server: Server, voiceId: string, words = text): Promise<Uint8Array> {
  const { key } = await server.makeAccount({ balance: 1000 })
  const { body } = await server.ask('/api/v1/tts', { key, body: { text: words, voice_id: voiceId, format: 'wav' } })
  return (await fetch(body.url)).bytes()
}

export const sampleRate = 44_100

export function samplesOf(wav: Uint8Array): Float32Array {
  return fromInt16(new Int16Array(wav.slice(44).buffer))
}

export function wavOf(samples: Float32Array): Uint8Array {
  const encoder = createWavEncoder({ sampleRate })
  const body = encoder.append(toInt16(samples))
  const { head, tail } = encoder.finish()
  return Buffer.concat([head, body, tail])
}

/** Repeats the recording up to exactly this length. */
export function lasting(wav: Uint8Array, frames: number): Uint8Array {
  const samples = samplesOf(wav)
  return wavOf(Float32Array.from({ length: frames }, (_, i) => samples[i % samples.length]!))
}

/** The same sound in other bytes. */
export function variant(wav: Uint8Array, seed: number): Uint8Array {
  return wavOf(samplesOf(wav).map((value) => value * (1 - seed / 1000)))
}

export function hashOf(bytes: Uint8Array): string {
  return new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
}
