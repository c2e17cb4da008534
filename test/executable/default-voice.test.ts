/** The default voice of the compiled executable: Heart, the order that a directory remembers, and a build that lacks it. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openExistingDatabase } from '../../src/db/database'
import { childrenOf } from '../processes'
import { durationSeconds } from '../../src/audio/pcm'
import { readWav } from '../sound'
import { describeWithAsset } from '../tools'
import { until } from '../until'
import { defaultVoiceId, runSonant, startEphemeral, startIn, stopAndRemove, type Sonant } from './sonant'

const answerOf = async (response: Response) => [response.status, await response.json()] as [number, Record<string, any>]
const say = (sonant: Sonant, body: Record<string, unknown>) => sonant.request('/api/v1/tts', { body })

async function hear(sonant: Sonant, body: Record<string, unknown>): Promise<Uint8Array> {
  const [status, answer] = await answerOf(await say(sonant, { format: 'wav', ...body }))
  expect(status).toBe(200)
  return (await fetch(answer.url)).bytes()
}

describeWithAsset('hibari', 'Heart, the default voice of a new directory', () => {
  let sonant: Sonant
  beforeAll(async () => {
    sonant = await startEphemeral({ flags: ['--workers', '2'] })
  })
  afterAll(() => stopAndRemove(sonant))
  const workers = () => childrenOf(sonant.process.pid)
  const mapsOf = (pid: number) => readFileSync(`/proc/${pid}/maps`, 'utf8')
  const text = 'Hello! This is my first sentence.'

  it('is not loaded before the first request', async () => {
    await until(() => workers().length > 0)
    for (const pid of workers()) expect(mapsOf(pid)).not.toContain('libonnxruntime')
  })

  it('speaks requests without a voice, with the same bytes on both workers, after a restart, and on the command line', async () => {
    const [status, answer] = await answerOf(await say(sonant, { text, format: 'wav' }))
    expect([status, answer]).toEqual([200, expect.objectContaining({ voice_id: 'en-heart', units: text.length })])
    const first = await (await fetch(answer.url)).bytes()
    const bytes = await Promise.all([1, 2, 3, 4].map(() => hear(sonant, { text })))
    for (const again of bytes) expect(again).toEqual(first)
    const other = await startEphemeral({ flags: ['--workers', '1'] })
    expect(await hear(other, { text })).toEqual(first)
    await stopAndRemove(other)
    const { exitCode, stderr } = runSonant(['say', text, '-o', 'hello.wav'], { cwd: sonant.directory })
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('voice en-heart')])
    expect(await Bun.file(join(sonant.directory, 'hello.wav')).bytes()).toEqual(first)
  })

  it('keeps a worker below 260 MB', () => {
    const residentMegabytes = (pid: number) =>
      (Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1024) / 1e6
    const speaking = workers().filter((pid) => mapsOf(pid).includes('libonnxruntime'))
    expect(speaking.length).toBeGreaterThan(0)
    for (const pid of speaking) expect(residentMegabytes(pid)).toBeLessThan(260)
  })

  it('leaves Mandarin inside an English text to another voice, and says every script', async () => {
    const seconds = async (text: string) => durationSeconds(readWav(await hear(sonant, { text })))
    const english = await seconds('He said to me.')
    expect(await seconds('He said 你好，我的朋友 to me.')).toBeGreaterThan(english + 0.8)
    for (const only of ['你好。', 'Привет.', '漢字かな', 'ᏣᎳᎩ', '🙂', '3 × 4'])
      expect([only, (await seconds(only)) > 0.2]).toEqual([only, true])
  })
})

describe('a directory whose default voice this build lacks', () => {
  let directory: string
  let sonant: Sonant
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'sonant-default-'))
    const made = await startIn(directory)
    await made.stop()
    const db = openExistingDatabase(join(directory, 'data/sonant.db'))
    db.exec("UPDATE built_in_voices SET voice_id = 'en-future' WHERE position = 1")
    db.close()
    sonant = await startIn(directory, { apiKey: made.apiKey })
  })
  afterAll(async () => {
    await sonant.stop()
    await rm(directory, { recursive: true })
  })
  const run = (...args: string[]) => runSonant([...args, '--data', join(directory, 'data')], { cwd: directory })
  const readiness = async () => (await answerOf(await sonant.request('/readyz')))[1].default_voice

  it('uses no other voice in its place, over HTTP and on the command line', async () => {
    for (const path of ['/api/v1/tts', '/api/v1/tts/estimate']) {
      const [status, { error }] = await answerOf(await sonant.request(path, { body: { text: 'Hi.' } }))
      expect([status, error.code, error.param]).toEqual([404, 'voice_not_found', 'voice_id'])
      expect(error.message).toContain('"en-future" is not in this build')
    }
    const said = run('say', 'Hi', '-o', 'hi.mp3')
    expect([said.exitCode, said.stderr]).toEqual([2, expect.stringContaining('"en-future"')])
    expect((await say(sonant, { text: 'Hi.', voice_id: 'en-kevin' })).status).toBe(200)
  })

  it('is reported by /readyz, the log and doctor', async () => {
    expect(await readiness()).toMatchObject({ id: 'en-future', available: false })
    expect(sonant.log()).toContain('"voice":"en-future"')
    const { exitCode, stdout } = run('doctor')
    expect([exitCode, stdout]).toEqual([1, expect.stringMatching(/^bad +voice +en-future is the default: this build/m)])
  })

  it('has the voices of the build after it, with the new one at the end', async () => {
    const ids = (await answerOf(await sonant.request('/api/v1/voices')))[1].voices.map(({ id }: { id: string }) => id)
    expect(ids).not.toContain('en-future')
    expect(ids.at(-1)).toBe(defaultVoiceId)
    expect(run('voices').stdout.split('\n')[0]).toStartWith(ids[0])
  })

  it('gets another default by an administrator', async () => {
    expect(run('voices', 'update', 'en-kevin', '--featured', 'true').exitCode).toBe(0)
    expect((await answerOf(await say(sonant, { text: 'Hi.' })))[1].voice_id).toBe('en-kevin')
    expect(await readiness()).toEqual({ id: 'en-kevin', available: true, reason: 'an administrator featured it' })
  })
})
