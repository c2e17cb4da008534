/** The compute providers of neural voices: a missing provider, an invalid library, batches. */
import { afterAll, beforeAll, describe, expect, it, setDefaultTimeout } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readWav } from '../sound'
import { expectError } from './expect-error'
import { runSonant, startEphemeral, startIn, stopAndRemove, type Sonant } from './sonant'
import { dropTones, hear, voiceOf } from './voice-packs'
import { until } from '../until'

setDefaultTimeout(120_000)

let directory: string
let apiKey: string
let voice: string
/** Its graph encodes the number of sentences per run. */
let counting: string
/** From a server with default settings. */
let plain: Uint8Array
const text = 'The cat sat down.'
const sentences = [
  'One.',
  'Two cats.',
  'Three cats sat.',
  'Four cats sat down.',
  'Five.',
  'Six.',
  'Seven dogs.',
  'Eight.',
]

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sonant-neural-compute-'))
  const sonant = await startIn(directory, { flags: ['--provider', 'cpu'] })
  ;({ apiKey } = sonant)
  await dropTones(join(directory, 'data'), 'en_US-plain-low')
  await dropTones(join(directory, 'data'), 'en_US-counting-low', { countsBatch: true })
  voice = await voiceOf(sonant, 'en_US-plain-low')
  counting = await voiceOf(sonant, 'en_US-counting-low')
  plain = (await hear(sonant, { text, voice_id: voice })).audio
  await sonant.stop()
})
afterAll(() => rm(directory, { recursive: true }))

async function withServer(flags: readonly string[], work: (sonant: Sonant) => Promise<void>): Promise<void> {
  const sonant = await startIn(directory, { flags, apiKey })
  try {
    await work(sonant)
  } finally {
    await sonant.stop()
  }
}
const json = async (sonant: Sonant, path: string) => (await (await sonant.request(path)).json()) as Record<string, any>
const logLines = (sonant: Sonant) =>
  sonant
    .log()
    .trim()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)

describe('--provider cuda on a machine without it', () => {
  it('is tested at the start, even without installed voices', async () => {
    const sonant = await startEphemeral({ flags: ['--provider', 'cuda'] })
    await until(async () => (await json(sonant, '/readyz')).compute !== null)
    expect(await json(sonant, '/readyz')).toMatchObject({ ok: true, compute: { provider: 'cpu', fallback: true } })
    expect(sonant.log()).toContain('cuda does not work; neural voices fall back to the CPU')
    await stopAndRemove(sonant)
  })

  it('falls back to the CPU with a warning, and speaks the same', () =>
    withServer(['--provider', 'cuda'], async (sonant) => {
      expect((await hear(sonant, { text, voice_id: voice })).audio).toEqual(plain)
      expect(logLines(sonant)).toContainEqual(
        expect.objectContaining({ level: 'error', wished: 'cuda', provider: 'cpu', failure: expect.any(String) }),
      )
      expect(await json(sonant, '/readyz')).toMatchObject({ ok: true, compute: { provider: 'cpu', fallback: true } })
      const { compute } = await json(sonant, '/api/v1/admin/compute')
      expect(compute).toMatchObject({ provider: 'cpu', fallback: true, device: expect.any(String) })
      expect(compute.trials).toMatchObject([
        { provider: 'cuda', failure: expect.any(String) },
        { provider: 'cpu', failure: null },
      ])
    }))
})

describe('a voice with its own missing provider', () => {
  it('falls back with a warning too, while the server keeps its own provider', () =>
    withServer(['--provider', 'cpu'], async (sonant) => {
      const set = (provider: string | null) =>
        sonant.request(`/api/v1/admin/voices/${voice}`, { method: 'PATCH', body: { provider } })
      expect(await (await set('cuda')).json()).toMatchObject({ id: voice, provider: 'cuda' })
      expect((await hear(sonant, { text, voice_id: voice })).audio).toEqual(plain)
      expect(logLines(sonant)).toContainEqual(
        expect.objectContaining({ level: 'error', wished: 'cuda', provider: 'cpu' }),
      )
      expect(await json(sonant, '/readyz')).toMatchObject({ ok: true, compute: { provider: 'cpu', fallback: false } })
      expect((await set(null)).status).toBe(200)
    }))
})

describe('--ort-library with a missing file', () => {
  it('fails neural voices uncharged with the reason in the log; built-in voices work', () =>
    withServer(['--ort-library', '/no/such/libonnxruntime.so'], async (sonant) => {
      const { balance } = await json(sonant, '/api/v1/balance')
      const refused = sonant.request('/api/v1/tts', { body: { text, voice_id: voice } })
      const error = await expectError(refused, 502, 'synthesis_failed', 'engine_error')
      expect(error.message).not.toContain('/no/such')
      expect((await json(sonant, '/api/v1/balance')).balance).toBe(balance)
      expect((await json(sonant, `/api/v1/usage/${error.x_relay.request_id}`)).status).toBe('failed')
      expect(sonant.log()).toContain('/no/such/libonnxruntime.so')
      expect((await sonant.speak({ text })).answer).toMatchObject({ voice_id: 'en-kevin', units: text.length })
    }))
})

describe('--batch-max 8', () => {
  it('marks voices as not deterministic, and gives each of many sentences the sound that it has alone', () =>
    withServer(['--batch-max', '8', '--workers', '1'], async (sonant) => {
      const { voices } = (await json(sonant, '/api/v1/voices')) as { voices: { id: string; deterministic: boolean }[] }
      expect(voices.find(({ id }) => id === counting)!.deterministic).toBe(false)
      const ask = (sentence: string) => hear(sonant, { text: sentence, voice_id: counting })
      const alone: Awaited<ReturnType<typeof ask>>[] = []
      for (const sentence of sentences) alone.push(await ask(sentence))
      const together = await Promise.all(sentences.map(ask))
      const sizes: number[] = []
      for (const [index, { audio, run }] of together.entries()) {
        const single = alone[index]!
        expect(single.run.speaker).toBe(1)
        expect(run).toEqual({ ...single.run, speaker: run.speaker })
        expect(readWav(audio).samples.length).toBe(readWav(single.audio).samples.length)
        sizes.push(run.speaker)
      }
      expect(Math.max(...sizes)).toBeGreaterThan(1)
    }))
})

describe('the command line', () => {
  it('say speaks with an installed voice as the server does', async () => {
    const args = ['say', text, '--voice', voice, '--data', join(directory, 'data'), '-o', 'a.wav']
    const { exitCode, stderr } = runSonant(args, { cwd: directory })
    expect([exitCode, stderr]).toEqual([0, expect.stringMatching(/^a\.wav: [\d.]+ s, voice /)])
    expect(Buffer.from(plain).equals(await Bun.file(join(directory, 'a.wav')).bytes())).toBe(true)
  })

  it('doctor reports the working providers, and fails for one that does not work', () => {
    const args = ['doctor', '--data', join(directory, 'data')]
    const { exitCode, stdout } = runSonant(args, { cwd: directory })
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^ok +neural +voices are computed on /m)])
    const cuda = runSonant([...args, '--provider', 'cuda'], { cwd: directory })
    expect([cuda.exitCode, cuda.stdout]).toEqual([1, expect.stringMatching(/^bad +neural +cuda does not work/m)])
  })
})
