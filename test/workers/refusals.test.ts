/** The words of refusals, for speech and for clones. */
import { describe, expect, it } from 'bun:test'
import { AppError } from '../../src/errors'
import { createAdmission } from '../../src/workers/admission'
import { takePlace } from '../../src/workers/refusals'
import { createSpeeds } from '../../src/workers/speeds'
import { createWork } from '../../src/workers/work'

/** A demand of `seconds` of work whose speed was measured, with a deadline in ten seconds. */
function demandOf(seconds: number) {
  const speeds = createSpeeds(() => ({ fixed: 0, each: 1000, typicalSize: 1 }))
  const task = { name: 'task', family: 'task', size: seconds }
  for (let i = 0; i < 3; i++) speeds.learn(task, seconds * 1000)
  return { key: 'key', deadlineAtMs: performance.now() + 10_000, work: createWork(speeds, { parts: [{ task }] }) }
}

function refusalOf(take: () => unknown): AppError {
  try {
    take()
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  throw new Error('it was admitted')
}

const start = (placesMax = 10) => ({ admission: createAdmission({ workers: 1, placesMax, horizonMs: 60_000 }) })

describe('a request that takes too long', () => {
  it('is refused with advice on the text if it asks for speech', () => {
    const refusal = refusalOf(() => takePlace(start(), demandOf(60), { characters: 1000 }))
    expect(refusal.code).toBe('synthesis_timeout')
    // A sixth of the text would just fit.
    expect(refusal.message).toBe(
      'This voice takes longer for this text than a request may last; nothing was charged. Split the text: about 130 characters fit.',
    )
  })

  it('is told the length that fits, and a text of that length is admitted', () => {
    for (const seconds of [14, 60, 3000]) {
      const { message } = refusalOf(() => takePlace(start(), demandOf(seconds), { characters: 2000 }))
      const characters = Number(/about (\d+) characters/.exec(message)?.[1])
      expect([seconds, characters / 2000]).toEqual([seconds, expect.closeTo((0.8 * 10) / seconds, 1)])
      takePlace(start(), demandOf((seconds * characters) / 2000), { characters })
    }
  })

  it('is refused with the advice to use another voice if not even one character fits', () => {
    const { message } = refusalOf(() => takePlace(start(), demandOf(60), { characters: 3 }))
    expect(message).toEndWith('Use another voice.')
  })

  it('is refused without a word on texts if it asks for a clone', () => {
    const refusal = refusalOf(() => takePlace(start(), demandOf(60), 'clone'))
    expect(refusal.code).toBe('synthesis_timeout')
    expect(refusal.message).toStartWith('Making a voice takes longer')
    expect(refusal.message).not.toMatch(/text/i)
  })
})

describe('a request beyond the number of places', () => {
  it('is told when to come again, whatever it asks for', () => {
    const scheduler = start(1)
    takePlace(scheduler, demandOf(1), { characters: 10 })
    for (const purpose of [{ characters: 10 }, 'clone'] as const) {
      const refusal = refusalOf(() => takePlace(scheduler, demandOf(1), purpose))
      expect(refusal.code).toBe('rate_limited')
      expect(refusal.message).toContain(
        `queue is full; nothing was charged. Try again in ${refusal.retryAfterSeconds} s`,
      )
    }
  })
})
