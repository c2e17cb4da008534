/** Enrolment and adapted synthesis in worker processes with the real engines. */
import { afterAll, describe, expect, it } from 'bun:test'
import { join } from 'node:path'
import { fromInt16, toInt16 } from '../../../src/audio/pcm'
import { createLogger } from '../../../src/log'
import { adaptationFor, type AdaptedProfile } from '../../../src/cloning/adapt/profile'
import type { VoiceSpec } from '../../../src/speech/voice'
import { JobEnded, type Job } from '../../../src/workers/job'
import { createScheduler } from '../../../src/workers/scheduler'
import { modelOptions } from '../../workers/model-options'
import { TaskFailed } from '../../../src/workers/task-failed'
import type { Task } from '../../../src/workers/protocol'
import { readCatalogue } from '../../../src/voice/catalogue'
import { makeVoice } from '../../audio/analysis/voices'
import { medianPitchHz, loudnessLufs } from '../../sound'

const scheduler = createScheduler({
  models: modelOptions,
  command: [process.execPath, join(import.meta.dir, '../../../src/main.ts'), 'worker'],
  workers: 1,
  taskTimeoutMs: 60_000,
  workerMemoryMaxBytes: 600 << 20,
  jobsMax: 100,
  horizonMs: 60_000,
  log: createLogger('silent'),
})
afterAll(() => scheduler.close())

const catalogue = readCatalogue()
const bases: readonly VoiceSpec[] = catalogue.voices
const recording = makeVoice({ seconds: 4, f0At: (time) => 200 + 30 * Math.sin(5 * time), harmonicityDb: 18 })
const task: Task<'enrol'> = {
  kind: 'enrol',
  samples: toInt16(recording.samples),
  sampleRate: recording.sampleRate,
  language: 'en',
  bases,
  measured: {},
  by: { engine: 'flite' },
}

async function withJob<T>(work: (job: Job) => Promise<T>): Promise<T> {
  const job = scheduler.openJob({ key: 'key', background: false })
  try {
    return await work(job)
  } finally {
    job.end()
  }
}

function say(voice: VoiceSpec, text: string) {
  return withJob(async (job) => {
    const fields = { letters: text.length, symbols: 0, sampleRate: 16_000, speed: 1, pauseMs: 0 }
    const { chunks } = await job.synthesize({ kind: 'synthesize', voice, text, ...fields })
    return { samples: fromInt16(chunks[0]!), sampleRate: 16_000 }
  })
}

describe('a worker', () => {
  it('makes a voice from a recording and speaks with it at the common loudness', async () => {
    const { profile, base } = await withJob((job) => job.enrol(task))
    const voice = catalogue.find(base)!
    const text = 'The weather will be warm and sunny for the rest of the week.'
    const plain = await say(voice, text)
    const adapted = await say({ ...voice, adaptation: adaptationFor(profile as AdaptedProfile, base) }, text)
    expect(Math.abs(12 * Math.log2(medianPitchHz(adapted) / 200))).toBeLessThan(1.5)
    expect(adapted.samples).not.toEqual(plain.samples)
    expect(Math.abs(loudnessLufs(adapted) - loudnessLufs(plain))).toBeLessThan(0.5)
    expect(adapted.samples.length).toBe(plain.samples.length)
    expect(scheduler.status().workers).toBe(1)
  })

  it('does not load a second engine for a Mandarin voice', async () => {
    const { base } = await withJob((job) => job.enrol({ ...task, language: 'zh' }))
    expect(base).toStartWith('zh-')
    expect(scheduler.status().workers).toBe(1)
  })

  it('refuses a silent recording with the reason and keeps working', async () => {
    const failed = withJob((job) => job.enrol({ ...task, samples: new Int16Array(16_000) }))
    const error = await failed.catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(TaskFailed)
    expect(error as TaskFailed).toMatchObject({ stage: 'enrol', message: 'The recording is silent.' })
    expect((await say(catalogue.voices[0]!, 'Hello there.')).samples.length).toBeGreaterThan(4000)
  })

  it('does not start an enrolment whose job has ended', async () => {
    const job = scheduler.openJob({ key: 'key', background: false })
    const others = Array.from({ length: 3 }, () => say(catalogue.voices[0]!, 'Hello there.'))
    const waiting = job.enrol(task)
    job.end()
    await expect(waiting).rejects.toBeInstanceOf(JobEnded)
    await Promise.all(others)
  })
})
