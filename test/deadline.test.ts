/** One clock for every wait of an operation, and the table of time limits by operation. */
import { describe, expect, it } from 'bun:test'
import { downloadLimits, limits, operationTimeoutMs, operationTimeoutsMs } from '../src/config'
import { runWithin, shorten, startDeadline } from '../src/deadline'

const late = () => new Error('late')
const never = new Promise<never>(() => {})

describe('a deadline', () => {
  it('ends a wait that would last for ever', async () => {
    await expect(runWithin(startDeadline(5), never, late)).rejects.toThrow('late')
  })

  it('passes on a result or an error that is in time', async () => {
    expect(await runWithin(startDeadline(60_000), Promise.resolve(1), late)).toBe(1)
    await expect(runWithin(startDeadline(60_000), Promise.reject(new Error('own')), late)).rejects.toThrow('own')
  })

  it('drops an error that comes after the end of the wait', async () => {
    const work = Promise.withResolvers<never>()
    await expect(runWithin(startDeadline(1), work.promise, late)).rejects.toThrow('late')
    work.reject(new Error('too late to matter'))
    await Bun.sleep(0)
  })

  it('counts from the start of the operation', () => {
    expect(startDeadline(1000, performance.now() - 2000).remainingMs()).toBe(0)
  })

  it('bounds its parts, so that none ends after it', () => {
    const whole = startDeadline(50)
    expect(shorten(whole, 1_000_000).endAtMs).toBe(whole.endAtMs)
    expect(shorten(whole, 0).endAtMs).toBeLessThan(whole.endAtMs)
  })

  it('aborts its signal at its end, and at once when that is past', async () => {
    for (const deadline of [startDeadline(5), startDeadline(-5)]) {
      const { signal } = deadline
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
      expect(deadline.remainingMs()).toBe(0)
    }
  })
})

describe('the table of operations', () => {
  // The upload of a pack holds no units, and its connection may be idle for ever: its body has a limit of its own.
  const { packUpload: _, ...usualMs } = operationTimeoutsMs
  const longestMs = Math.max(...Object.values(usualMs))

  it('lets no operation outlast the hold of its units', () => {
    expect(limits.holdTimeoutMs).toBeGreaterThan(longestMs)
  })

  it('gives a text a minute at first, or less where the longest deadline is shorter', () => {
    const timeouts = [5, 60, 240].map((ttsSecondsMax) => operationTimeoutMs('tts', { ttsSecondsMax }))
    expect(timeouts).toEqual([5_000, 60_000, 60_000])
    expect(operationTimeoutMs('clone', { ttsSecondsMax: 5 })).toBe(operationTimeoutsMs.clone)
  })

  it('lets no operation outlast the time that Bun gives a connection without an answer', () => {
    expect(longestMs).toBeLessThanOrEqual(240_000)
  })

  it('leaves time for the work after the longest body and the longest download', () => {
    expect(limits.requestBodyTimeoutMs).toBeLessThan(Math.min(...Object.values(operationTimeoutsMs)))
    expect(limits.uploadTimeoutMs + operationTimeoutsMs.tts).toBeLessThanOrEqual(operationTimeoutsMs.clone)
    expect(downloadLimits.timeoutMs + operationTimeoutsMs.tts).toBeLessThanOrEqual(operationTimeoutsMs.clone)
  })
})
