/** The deadline of a rendering: its place in the admission, without workers. */
import { describe, expect, it } from 'bun:test'
import { AppError } from '../../src/errors'
import { lengthen, startDeadline } from '../../src/deadline'
import { createLogger } from '../../src/log'
import { render } from '../../src/speak/render'
import type { VoiceSpec } from '../../src/speech/voice'
import { createAdmission } from '../../src/workers/admission'
import type { JobOptions } from '../../src/workers/job'
import { priorOf } from '../../src/workers/measures'
import type { Scheduler } from '../../src/workers/scheduler'
import { createSpeeds } from '../../src/workers/speeds'

const model = { directory: '/voices/m', graph: 'g.onnx', version: '1', memoryBytes: 1 }
const voiceOf = (busyFactor: number | undefined): VoiceSpec => ({
  ...{ id: 'v', engine: 'kokoro', language: 'en-US', sampleRate: 16_000, settings: { voice: 'v' } },
  model: { ...model, busyFactor },
})
/** About 600 characters, 40 seconds of sound. */
const text = 'The train to the sea was late again, so we sat in the sun. '.repeat(10)

/** Seconds between the usual deadline and that of the place; the usual one is in 60 s, the latest in 120. */
async function extraSeconds(voice: VoiceSpec, { speed = 1, hasLatest = true } = {}): Promise<number> {
  const jobs: JobOptions[] = []
  const job = {
    ...{ begun: true, begunAtMs: 0, end: () => undefined },
    synthesize: async () => ({ chunks: [new Int16Array(100)], words: undefined }),
  }
  const scheduler = {
    ...{ closed: false, log: createLogger('silent'), readiness: () => ({ readyAtMs: 0, lane: undefined }) },
    ...{ speeds: createSpeeds(priorOf), admission: createAdmission({ workers: 2, placesMax: 1, horizonMs: 60_000 }) },
    openJob(options: JobOptions) {
      jobs.push(options)
      return job
    },
  } as unknown as Scheduler
  const deadline = startDeadline(60_000)
  const request = {
    ...{ text, voice, fallbackVoiceFor: () => voice, speed, mp3SampleRate: undefined, format: 'wav' as const },
    ...{ queueKey: 'key', deadline, ...(hasLatest && { latest: lengthen(deadline, 60_000) }) },
  }
  await render(scheduler, request, { write: async () => undefined })
  return Math.round((jobs[0]!.place!.deadlineAtMs - deadline.endAtMs) / 1000)
}

describe('the deadline of a text', () => {
  it('is the usual one for a fast voice, and for one of unknown speed', async () => {
    expect(await extraSeconds(voiceOf(0.2))).toBe(0)
    expect(await extraSeconds(voiceOf(undefined))).toBe(0)
  })

  it('is later for a slow voice, and at the latest the latest', async () => {
    expect(await extraSeconds(voiceOf(1.2))).toBeWithin(5, 50)
    expect(await extraSeconds(voiceOf(4))).toBe(60)
    expect(await extraSeconds(voiceOf(2), { hasLatest: false })).toBe(0)
  })

  it('is later at half the speed', async () => {
    expect(await extraSeconds(voiceOf(0.6), { speed: 0.5 })).toBeGreaterThan(await extraSeconds(voiceOf(0.6)))
  })

  it('does not help a text that takes longer than the latest: it is refused, with the length that fits', async () => {
    const error = await extraSeconds(voiceOf(40)).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(AppError)
    expect((error as AppError).code).toBe('synthesis_timeout')
    expect((error as AppError).message).toMatch(/about \d\d characters fit/)
  })
})
