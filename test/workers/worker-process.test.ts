/** One worker process and its protocol: every kind of task has an answer of its own type. */
import { afterAll, describe, expect, expectTypeOf, it } from 'bun:test'
import { join } from 'node:path'
import type { VoiceStatistics } from '../../src/cloning/adapt/measure'
import type { VoiceSpec } from '../../src/speech/voice'
import type { EncodedChunk, Task } from '../../src/workers/protocol'
import { succeeded, TaskFailed } from '../../src/workers/task-failed'
import { startWorkerProcess, WorkerGone } from '../../src/workers/worker-process'

const timeoutMs = 20_000
const sampleRate = 16_000
const voice: VoiceSpec = { id: 'v', engine: 'flite', language: 'en-US', sampleRate, settings: { voice: 'v' } }

const worker = startWorkerProcess({
  command: [process.execPath, join(import.meta.dir, 'strange-worker.ts'), 'worker'],
  memoryMaxBytes: 600 << 20,
  onExit() {},
})
afterAll(() => worker.kill())

function utterance(text: string): Task<'synthesize'> {
  return { kind: 'synthesize', voice, text, letters: text.length, symbols: 0, sampleRate, speed: 1, pauseMs: 0 }
}

describe('a worker process', () => {
  it('answers an encoding task with the bytes, and with the head of the file at the end', async () => {
    const encode = {
      kind: 'encode',
      stream: 1,
      format: 'mp3',
      sampleRate,
      samples: new Int16Array(sampleRate),
    } as const
    const first = succeeded(await worker.run({ ...encode, last: false }, timeoutMs))
    expectTypeOf(first).toEqualTypeOf<EncodedChunk>()
    expect(first.head).toBeUndefined()
    const { bytes, headBytes, head } = succeeded(await worker.run({ ...encode, last: true }, timeoutMs))
    expect([head!.length, bytes.length > 0]).toEqual([headBytes, true])
  })

  it('answers a measuring task with statistics, and sends no audio', async () => {
    const result = await worker.run({ kind: 'measure', voice }, timeoutMs)
    expectTypeOf(succeeded(result)).toEqualTypeOf<VoiceStatistics>()
    expect(succeeded(result).pitchHz).toBeWithin(110, 130)
    expect(result.chunks).toEqual([])
  })

  it('answers a batch with one outcome and the audio of each utterance, and only the faulty ones fail', async () => {
    const tasks = ['Hello there.', 'fail here.', 'Good morning to you.'].map(utterance)
    const result = await worker.run({ kind: 'batch', tasks }, timeoutMs)
    const outcomes = succeeded(result)
    expect(outcomes.map(({ ok }) => ok)).toEqual([true, false, true])
    const frames = [0, 1, 2].map((item) => (result.chunks[item] ?? []).reduce((sum, { length }) => sum + length, 0))
    expect(frames[1]).toBe(0)
    expect(frames[2]).toBeGreaterThan(frames[0]!)
  })

  it('answers a failure with its stage, whatever the task', async () => {
    const { outcome } = await worker.run(utterance('fail please.'), timeoutMs)
    expect(outcome).toMatchObject({ ok: false, stage: 'synthesize', message: expect.stringContaining('does not like') })
    expect(() => succeeded({ outcome })).toThrow(TaskFailed)
    const enrol = { kind: 'enrol', samples: new Int16Array(sampleRate), sampleRate, language: 'en' } as const
    const refused = await worker.run({ ...enrol, bases: [voice], measured: {}, by: voice }, timeoutMs)
    expect(refused.outcome).toMatchObject({ ok: false, stage: 'enrol', message: 'The recording is silent.' })
  })

  it('rejects a task when it dies during the task, and every later one', async () => {
    const dying = startWorkerProcess({
      command: [process.execPath, join(import.meta.dir, 'strange-worker.ts'), 'worker'],
      memoryMaxBytes: 600 << 20,
      onExit() {},
    })
    const error = await dying.run(utterance('die now.'), timeoutMs).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(WorkerGone)
    expect(error).toMatchObject({ reason: 'died', begun: true })
    expect(dying.gone).toBe(true)
    await expect(dying.run(utterance('Hello.'), timeoutMs)).rejects.toMatchObject({ reason: 'died', begun: false })
  })
})
