/** The installation for checking the sentences of the interface: accounts, keys, plans, recordings, a file host. */
import { adminKey, startTrialServer, userKey, type Answer, type Call, type Json } from './server'

export type World = Awaited<ReturnType<typeof openWorld>>

/** Some seconds: longer recordings only take longer to measure. */
const recordedText = 'The old house on the hill was sold last month, and we are going home.'

export async function openWorld() {
  let wav: Uint8Array = new Uint8Array()
  let downloads = 0
  const host = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const { pathname } = new URL(request.url)
      downloads++
      if (pathname === '/missing.wav') return new Response('none', { status: 404 })
      if (pathname === '/text.wav') return new Response('this is no sound at all')
      if (pathname === '/large.wav') return new Response(new Uint8Array(15 * 1024 * 1024 + 1))
      return new Response(wav as BodyInit)
    },
  })
  const flags = ['--clone-url-allow', `127.0.0.1:${host.port}`]
  const server = await startTrialServer({ flags })
  const limited = await startTrialServer({ limited: true })

  async function speak(fields: Record<string, unknown>, call: Call = {}): Promise<Answer> {
    return server.ask('/api/v1/tts', { body: { text: 'Hello there.', voice_id: 'en-kevin', ...fields }, ...call })
  }

  /** An account of its own, with a key. */
  async function account(fields: Record<string, unknown> = {}): Promise<{ id: string; key: string; keyId: string }> {
    const { id } = await server.admin('POST', '/accounts', { name: 'Trial', balance: 10_000, ...fields })
    const made = await server.admin('POST', `/accounts/${id}/keys`, { name: 'trial' })
    return { id, key: made.api_key, keyId: made.id }
  }

  async function audio(answer: Answer): Promise<Response> {
    return fetch(answer.body.url as string)
  }

  function form(fields: Record<string, string>, file: Uint8Array | undefined, fileName = 'voice.wav'): FormData {
    const data = new FormData()
    for (const [name, value] of Object.entries(fields)) data.append(name, value)
    if (file) data.append('file', new Blob([file as BlobPart]), fileName)
    return data
  }

  const clone = (call: Call): Promise<Answer> => server.ask('/api/v1/voices/clone', { method: 'POST', ...call })
  wav = await (await audio(await speak({ text: recordedText, format: 'wav', voice_id: 'en-walter' }))).bytes()

  return {
    server,
    limited,
    adminKey,
    userKey,
    hostUrl: `http://127.0.0.1:${host.port}`,
    downloads: () => downloads,
    /** Replaces the served bytes and returns them. */
    serve(bytes: Uint8Array): Uint8Array {
      return (wav = bytes)
    },
    wav: () => wav,
    ask: server.ask,
    admin: server.admin,
    speak,
    account,
    audio,
    form,
    clone,
    async close(): Promise<void> {
      await Promise.all([server.stop(), limited.stop(), host.stop(true)])
    },
  }
}

/** The recording with its samples a little quieter: the same sound in other bytes. */
export function variantOf(wav: Uint8Array, seed: number): Uint8Array {
  const copy = Uint8Array.from(wav)
  const view = new DataView(copy.buffer)
  for (let at = 44; at + 1 < copy.length; at += 2)
    view.setInt16(at, Math.round(view.getInt16(at, true) * (1 - seed / 500)), true)
  return copy
}

/** Mono PCM of 16 bit: its samples repeated until it lasts exactly so many frames. */
export function lasting(wav: Uint8Array, frames: number): Uint8Array {
  const sound = wav.subarray(44)
  const bytes = new Uint8Array(44 + 2 * frames)
  bytes.set(wav.subarray(0, 44))
  for (let at = 0; at < 2 * frames; at++) bytes[44 + at] = sound[at % (sound.length - (sound.length % 2))]!
  const view = new DataView(bytes.buffer)
  view.setUint32(4, 36 + 2 * frames, true)
  view.setUint32(40, 2 * frames, true)
  return bytes
}

export class Unmet extends Error {}

/** Throws unless `condition` holds; `found` is shown. */
export function ensure(condition: unknown, found: unknown): asserts condition {
  if (!condition) throw new Unmet(typeof found === 'string' ? found : JSON.stringify(found)?.slice(0, 400))
}

export function ensureEqual(found: unknown, wanted: unknown): void {
  if (!Bun.deepEquals(found, wanted))
    throw new Unmet(`found ${JSON.stringify(found)?.slice(0, 300)}, wanted ${JSON.stringify(wanted)}`)
}

/** The status and code of the envelope of 7.2. */
export function ensureError(answer: Answer, status: number, code: string): void {
  const error = answer.body?.error as Json
  ensureEqual([answer.status, error?.code], [status, code])
  ensure(typeof error.message === 'string' && typeof error.type === 'string' && 'param' in error, answer.text)
  ensure(/^[0-9a-f]{32}$/.test(error.x_relay?.request_id), answer.text)
}
