/** Paid operation 1: text → stored audio. */
import type { Caller } from './account/keys'
import type { AudioFormat } from './audio/encode/encoder'
import { AppError } from './errors'
import { renderToStorage } from './speech/render'
import type { Pool } from './speech/pool'
import type { Storage } from './storage/storage'
import type { Catalogue, CatalogueVoice } from './voice/catalogue'

export type Speaking = {
  readonly catalogue: Catalogue
  readonly pool: Pool
  readonly storage: Storage
  /** Hz, or undefined for each voice's own. */
  readonly mp3SampleRate: number | undefined
  readonly requestTimeoutMs: number
  /** Requests at work, which a shutdown waits for even when their clients have left. */
  readonly running: Set<Promise<unknown>>
}

export type SpeakRequest = {
  readonly caller: Caller
  readonly requestId: string
  readonly text: string
  /** undefined: the first of the list. */
  readonly voiceId: string | undefined
  readonly speed: number
  readonly format: AudioFormat
  readonly signal: AbortSignal
}

export type Spoken = {
  /** The name of the file in the storage. */
  readonly name: string
  readonly voiceId: string
  readonly characters: number
  readonly audioMs: number
  /** From the first task's start to the stored file. */
  readonly durationMs: number
}

/** Throws `voice_not_found`, `storage_failed`, `rate_limited` (queue full), and what `render` throws. */
export async function speak(speaking: Speaking, request: SpeakRequest): Promise<Spoken> {
  const work = speakNow(speaking, request)
  speaking.running.add(work)
  try {
    return await work
  } finally {
    speaking.running.delete(work)
  }
}

async function speakNow(speaking: Speaking, request: SpeakRequest): Promise<Spoken> {
  const voice = findVoice(speaking.catalogue, request.voiceId)
  const { catalogue, pool, storage, mp3SampleRate, requestTimeoutMs } = speaking
  await storage.ensureSpace()
  const name = `${request.requestId}.${request.format}`
  const { audioMs, durationMs } = await renderToStorage(pool, storage, name, {
    text: request.text,
    voice,
    companionFor: (script) => catalogue.companionFor(voice, script),
    speed: request.speed,
    format: request.format,
    mp3SampleRate,
    queueKey: request.caller.keyId,
    timeoutMs: requestTimeoutMs,
    signal: request.signal,
  })
  return { name, voiceId: voice.id, characters: countCharacters(request.text), audioMs, durationMs }
}

/** Unicode code points: what is billed and limited. */
export function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

function findVoice(catalogue: Catalogue, id: string | undefined): CatalogueVoice {
  if (id === undefined) return catalogue.voices[0]!
  const voice = catalogue.find(id)
  if (voice) return voice
  const shown = id.length > 64 ? `${id.slice(0, 64)}…` : id
  throw new AppError(
    'voice_not_found',
    `voice_id: there is no voice "${shown}"; GET /api/v1/voices lists those there are.`,
    {
      param: 'voice_id',
    },
  )
}
