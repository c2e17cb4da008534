/** Rate limits at their edges, on an injected clock, and against a simple model. */
import { beforeEach, describe, expect, it } from 'bun:test'
import { heapStats } from 'bun:jsc'
import { createWindow, type Verdict, type Window } from '../../src/http/window'

const windowMs = 60_000
let now: number
let window: Window
beforeEach(() => {
  now = 1_000_000
  window = createWindow({ windowMs, subjectsMax: 1000, nowMs: () => now })
})

const take = (times: number, limit: number, subject = 'a') =>
  Array.from({ length: times }, () => window.take(subject, limit)).filter(({ allowed }) => allowed).length

describe('a sliding window', () => {
  it('allows as many calls as the limit, counts down, and then refuses', () => {
    const verdicts = Array.from({ length: 4 }, () => window.take('a', 3))
    expect(verdicts).toEqual([
      { allowed: true, limit: 3, remaining: 2, resetSeconds: 60, retryAfterSeconds: 0 },
      { allowed: true, limit: 3, remaining: 1, resetSeconds: 60, retryAfterSeconds: 0 },
      { allowed: true, limit: 3, remaining: 0, resetSeconds: 60, retryAfterSeconds: 0 },
      { allowed: false, limit: 3, remaining: 0, resetSeconds: 60, retryAfterSeconds: 60 },
    ])
  })

  it('does not allow 60 calls at 0:59 and 60 more at 1:01', () => {
    now += 59_000
    expect(take(60, 60)).toBe(60)
    now += 2_000
    expect(take(60, 60)).toBe(0)
  })

  it('keeps a call for 59.999 seconds and drops it at 60.000', () => {
    window.take('a', 1)
    now += 59_999
    expect(window.take('a', 1)).toMatchObject({ allowed: false, resetSeconds: 1, retryAfterSeconds: 1 })
    now += 1
    expect(window.take('a', 1)).toMatchObject({ allowed: true, remaining: 0, resetSeconds: 60 })
  })

  it('frees one call at a time, as each one expires', () => {
    for (let i = 0; i < 3; i++) {
      window.take('a', 3)
      now += 10_000
    }
    now += 30_000
    expect(take(5, 3)).toBe(1)
    expect(window.peek('a', 3)).toMatchObject({ allowed: false, retryAfterSeconds: 10 })
    now += 10_000
    expect(take(5, 3)).toBe(1)
  })

  it('returns the time of reset, rounded up to whole seconds, and 0 when nothing is counted', () => {
    expect(window.peek('a', 5)).toEqual({
      allowed: true,
      limit: 5,
      remaining: 5,
      resetSeconds: 0,
      retryAfterSeconds: 0,
    })
    window.take('a', 5)
    now += 30_000.5
    expect(window.take('a', 5).resetSeconds).toBe(30)
    now += 29_999.5
    expect(window.peek('a', 5)).toMatchObject({ remaining: 4, resetSeconds: 31 })
  })

  it('does not count a refused call', () => {
    take(2, 2)
    for (let i = 0; i < 59; i++) {
      now += 1_000
      expect(window.take('a', 2)).toMatchObject({ allowed: false, retryAfterSeconds: 59 - i })
    }
    now += 1_000
    expect(take(5, 2)).toBe(2)
  })

  it('does not count a peek', () => {
    for (let i = 0; i < 10; i++) expect(window.peek('a', 2)).toMatchObject({ allowed: true, remaining: 2 })
    take(2, 2)
    expect(window.peek('a', 2)).toEqual({
      allowed: false,
      limit: 2,
      remaining: 0,
      resetSeconds: 60,
      retryAfterSeconds: 60,
    })
  })

  it('counts each subject separately', () => {
    expect(take(5, 2, 'a')).toBe(2)
    expect(take(5, 2, 'b')).toBe(2)
    expect(window.take('a', 2).allowed).toBe(false)
  })

  it('uses the real clock by default', () => {
    const real = createWindow({ windowMs: 1, subjectsMax: 1 })
    expect(real.take('a', 1).allowed).toBe(true)
    Bun.sleepSync(3)
    expect(real.take('a', 1).allowed).toBe(true)
  })
})

describe('a limit that changes', () => {
  it('allows the difference at once when it is raised', () => {
    take(10, 10)
    expect(window.take('a', 10).allowed).toBe(false)
    expect(take(100, 25)).toBe(15)
    expect(window.peek('a', 25)).toMatchObject({ allowed: false, remaining: 0 })
  })

  it('waits for enough calls to expire, not for one, when it is lowered', () => {
    for (let i = 0; i < 20; i++) {
      window.take('a', 20)
      now += 1_000
    }
    // The calls are 20, 19, … 1 seconds old. For limit 5, sixteen must expire.
    const refused = window.take('a', 5)
    expect(refused).toEqual({ allowed: false, limit: 5, remaining: 0, resetSeconds: 55, retryAfterSeconds: 55 })
    now += 54_000
    expect(window.take('a', 5)).toMatchObject({ allowed: false, retryAfterSeconds: 1 })
    now += 1_000
    expect(take(5, 5)).toBe(1)
  })

  it('allocates memory as needed, and never for more than the limit in use', () => {
    const madeFor = recordArrays(() => {
      take(200, 100)
      now += windowMs
      take(20, 10)
      take(50, 30)
      take(5, 3, 'b')
    })
    expect(madeFor).toEqual([8, 16, 32, 64, 100, 8, 10, 20, 30, 3])
  })
})

describe('many subjects', () => {
  it('drops the subject with the oldest last call when there are too many', () => {
    const small = createWindow({ windowMs, subjectsMax: 3, nowMs: () => now })
    for (const subject of ['a', 'b', 'c', 'a']) small.take(subject, 2)
    // A refused call and a peek do not count, so they do not keep "b".
    small.peek('b', 2)
    small.take('b', 1)
    small.take('d', 2)
    const remaining = ['a', 'b', 'c', 'd'].map((subject) => small.peek(subject, 2).remaining)
    expect(remaining).toEqual([0, 2, 1, 1])
  })

  it('never keeps more subjects than subjectsMax', () => {
    const small = createWindow({ windowMs, subjectsMax: 100, nowMs: () => now })
    const before = ringsInMemory()
    for (let i = 0; i < 20_000; i++) small.take(`${i}`, 5)
    expect(ringsInMemory() - before).toBeLessThan(500)
    const remembered = Array.from({ length: 20_000 }, (_, i) => i).filter((i) => small.peek(`${i}`, 5).remaining < 5)
    expect(remembered).toEqual(Array.from({ length: 100 }, (_, i) => 19_900 + i))
  })

  it('forgets subjects whose calls have all expired, while others go on', () => {
    const large = createWindow({ windowMs, subjectsMax: 1e6, nowMs: () => now })
    const before = ringsInMemory()
    for (let i = 0; i < 5_000; i++) large.take(`${i}`, 5)
    expect(ringsInMemory() - before).toBeGreaterThan(4_500)
    now += windowMs - 1
    large.take('late', 5)
    for (let i = 0; i < 2_500; i++) large.take('busy', 1e4)
    expect(ringsInMemory() - before).toBeGreaterThan(4_500)
    now += 1
    for (let i = 0; i < 2_500; i++) large.take('busy', 1e4)
    expect(ringsInMemory() - before).toBeLessThan(500)
    expect(large.peek('late', 5).remaining).toBe(4)
    expect(large.peek('busy', 1e4).remaining).toBe(5_000)
  })
})

describe('against a model', () => {
  /** A simple and slow model: it scans every counted call each time. */
  function createModel() {
    const stamps = new Map<string, number[]>()
    const inWindow = (subject: string, atMs: number) =>
      (stamps.get(subject) ?? []).filter((stampMs) => stampMs + windowMs > atMs)
    const call = (subject: string, limit: number, counts: boolean): Verdict => {
      const allowed = inWindow(subject, now).length < limit
      if (allowed && counts) stamps.set(subject, [...inWindow(subject, now), now])
      const counted = inWindow(subject, now).length
      const isFreer = (seconds: number) =>
        inWindow(subject, now + seconds * 1000).length < Math.min(Math.max(counted, 1), limit)
      let resetSeconds = 0
      while (!isFreer(resetSeconds)) resetSeconds++
      const remaining = Math.max(0, limit - counted)
      return { allowed, limit, remaining, resetSeconds, retryAfterSeconds: allowed ? 0 : resetSeconds }
    }
    return { call, countedNow: (subject: string) => inWindow(subject, now).length }
  }

  const limits = [1, 2, 3, 7, 8, 9, 16, 40]
  const subjects = ['a', 'b', 'c']
  const seeds = Array.from({ length: 30 }, (_, i) => i * 7919 + 1)

  it.each(seeds)('answers the same whatever the times and the limits (seed %d)', (seed) => {
    let state = seed
    const random = () => (state = (state * 48271) % 2147483647) / 2147483647
    const pick = <T>(items: readonly T[]) => items[Math.floor(random() * items.length)]!
    // Start early and late on the clock, because fractions round differently.
    now = random() * 10 ** (random() * 9)
    const model = createModel()
    let limit = pick(limits)
    let waited = 0
    for (let i = 0; i < 1500; i++) {
      now += pick([0, 0, 0, random() * 10, random() * 2_000, 1_000, windowMs / limit, random() < 0.02 ? windowMs : 1])
      if (random() < 0.03) limit = pick(limits)
      const subject = pick(subjects)
      if (random() < 0.2) expect(window.peek(subject, limit)).toEqual(model.call(subject, limit, false))
      const before = model.countedNow(subject)
      const verdict = window.take(subject, limit)
      expect(verdict).toEqual(model.call(subject, limit, true))
      expect(model.countedNow(subject)).toBeLessThanOrEqual(Math.max(before, limit))
      if (verdict.allowed || random() < 0.5) continue
      expect(verdict.retryAfterSeconds).toBeGreaterThanOrEqual(1)
      now += verdict.retryAfterSeconds * 1000
      waited++
      expect(window.take(subject, limit)).toEqual(model.call(subject, limit, true))
      expect(model.countedNow(subject)).toBeLessThanOrEqual(limit)
    }
    expect(waited).toBeGreaterThan(5)
  })

  it('admits a client after the wait even where rounding loses a fraction', () => {
    let refusedOnes = 0
    for (let i = 0; i < 20_000; i++) {
      now = i / 7
      window = createWindow({ windowMs, subjectsMax: 1, nowMs: () => now })
      window.take('a', 1)
      now += 1_000 * (i % 60) + 1e-12 * (i % 3)
      const { allowed, retryAfterSeconds } = window.take('a', 1)
      if (!allowed) refusedOnes++
      now += retryAfterSeconds * 1000
      if (!allowed) expect(window.take('a', 1).allowed).toBe(true)
    }
    expect(refusedOnes).toBeGreaterThan(19_000)
  })
})

/** Counts the live ring buffers of call times, after a garbage collection. */
function ringsInMemory(): number {
  Bun.gc(true)
  return heapStats().objectTypeCounts['Float64Array'] ?? 0
}

/** Returns the lengths of the arrays that `work` creates. */
function recordArrays(work: () => void): number[] {
  const lengths: number[] = []
  const original = globalThis.Float64Array
  globalThis.Float64Array = new Proxy(original, {
    construct(target, [length]) {
      lengths.push(length)
      return new target(length)
    },
  })
  try {
    work()
  } finally {
    globalThis.Float64Array = original
  }
  return lengths
}
