/** Voices whose speed refused a text are measured again in the background. */
import { describe, expect, it } from 'bun:test'
import { createLogger } from '../../src/log'
import { measureAgain } from '../../src/speak/measure-again'
import type { VoiceSpec } from '../../src/speech/voice'
import type { Job, JobOptions } from '../../src/workers/job'
import { priorOf, utteranceMeasure } from '../../src/workers/measures'
import type { SynthesizeTask } from '../../src/workers/protocol'
import { createSpeeds } from '../../src/workers/speeds'

const model = { directory: '/packs/slow', graph: 'model.onnx', version: '1', memoryBytes: 1, busyFactor: 20 }
const slow: VoiceSpec = {
  id: 'slow',
  engine: 'kokoro',
  language: 'en',
  sampleRate: 24_000,
  settings: { voice: 'a' },
  model,
}
const builtIn: VoiceSpec = { ...slow, id: 'built-in', engine: 'flite', model: undefined }

/** A scheduler whose workers take `characterMs` per character; `fails`: no worker can be started. */
function setUp({ characterMs = 5, fails = false } = {}) {
  const speeds = createSpeeds(priorOf)
  const tasks: SynthesizeTask[] = []
  const jobs: JobOptions[] = []
  let open = 0
  const scheduler = {
    ...{ speeds, log: createLogger('silent') },
    openJob(options: JobOptions) {
      jobs.push(options)
      open++
      return {
        async synthesize(task: SynthesizeTask) {
          if (fails) throw new Error('no worker')
          tasks.push(task)
          const { voice, text, speed } = task
          speeds.learn(utteranceMeasure(voice, text.length, speed), text.length * characterMs)
          return { chunks: [], words: undefined }
        },
        end: () => void open--,
      } as unknown as Job
    },
  }
  const expectedMs = (speed = 1) => speeds.expected(utteranceMeasure(slow, 100, speed))
  return { scheduler, tasks, jobs, expectedMs, open: () => open }
}

describe('a voice that refused a text', () => {
  it('is measured in the background, so that a false figure of its probe is corrected', async () => {
    const { scheduler, jobs, expectedMs, open } = setUp()
    const before = expectedMs()
    await measureAgain(scheduler, [slow], { speed: 1, share: 0.5 })
    expect(jobs).toEqual([{ key: '', background: true }])
    expect(before / expectedMs()).toBeGreaterThan(2)
    expect(open()).toBe(0)
  })

  it('is measured at the speed of the request', async () => {
    const { scheduler, tasks, expectedMs } = setUp()
    const before = expectedMs()
    await measureAgain(scheduler, [slow], { speed: 0.5, share: 0.5 })
    expect(new Set(tasks.map(({ speed }) => speed))).toEqual(new Set([0.5]))
    expect(expectedMs()).toBe(before)
    expect(expectedMs(0.5)).toBeLessThan(expectedMs())
  })

  it('is measured once, however many texts it refuses meanwhile and soon after', async () => {
    const { scheduler, jobs } = setUp()
    await Promise.all([
      measureAgain(scheduler, [slow], { speed: 1, share: 0.5 }),
      measureAgain(scheduler, [slow], { speed: 1, share: 0.5 }),
    ])
    await measureAgain(scheduler, [slow], { speed: 1, share: 0.5 })
    expect(jobs).toHaveLength(1)
  })

  it('is not measured again when requests have measured it lately, nor are voices without a probe', async () => {
    const { scheduler, jobs } = setUp()
    for (let i = 0; i < 3; i++) scheduler.speeds.learn(utteranceMeasure(slow, 100, 1), 9_000)
    await measureAgain(scheduler, [slow, builtIn], { speed: 1, share: 0.5 })
    expect(jobs).toEqual([])
  })

  it('is not measured for a text that is far too long by its probe, but is if requests measured it long ago', async () => {
    const { scheduler, jobs } = setUp()
    await measureAgain(scheduler, [slow], { speed: 1, share: 0.1 })
    expect(jobs).toEqual([])
    scheduler.speeds.learn(utteranceMeasure(slow, 100, 1), 9_000)
    await measureAgain(scheduler, [slow], { speed: 1, share: 0.1 })
    expect(jobs).toHaveLength(1)
  })

  it('may fail to be measured: nothing is thrown or left open', async () => {
    const { scheduler, open } = setUp({ fails: true })
    await measureAgain(scheduler, [slow], { speed: 1, share: 0.5 })
    expect(open()).toBe(0)
  })
})
