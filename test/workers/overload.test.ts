/** Admission and turns under overload, on a simulated clock. */
import { describe, expect, it } from 'bun:test'
import { charactersOf, jainIndex, simulate, text, type Arrival, type Outcome } from './simulation'

/** A text of 2000 characters takes a worker twelve seconds. */
const characterMs = 6
const workers = 2
/** Capacity of both workers. */
const charactersPerSecond = (workers * 1000) / characterMs

const count = (outcomes: readonly Outcome[], status: Outcome['status']) =>
  outcomes.filter((outcome) => outcome.status === status).length

/** Requests for `load` times the capacity of the workers: keys in turn, every fourth text long. */
function offer(load: number, { seconds, keys }: { seconds: number; keys: number }): Arrival[] {
  const arrivals: Arrival[] = []
  let atMs = 0
  for (let i = 0; atMs < seconds * 1000; i++) {
    const utterances = i % 4 === 0 ? text(2000) : text(200)
    arrivals.push({ atMs, key: `key ${(i * 7) % keys}`, utterances })
    atMs += (charactersOf(arrivals.at(-1)!) / charactersPerSecond / load) * 1000
  }
  return arrivals
}

/** Completed characters per second until the last request came. */
function goodput(outcomes: readonly Outcome[], seconds: number): number {
  const done = outcomes.filter(({ status, endedAtMs }) => status === 'done' && endedAtMs <= seconds * 1000)
  return done.reduce((sum, outcome) => sum + charactersOf(outcome), 0) / seconds
}

describe('under overload', () => {
  for (const load of [0.5, 1, 2, 5, 10])
    it(`at ${load} times the capacity, the workers stay busy and no admitted request is late`, () => {
      const seconds = 600
      const outcomes = simulate(offer(load, { seconds, keys: 9 }), { characterMs })
      expect(count(outcomes, 'late')).toBe(0)
      expect(goodput(outcomes, seconds) / charactersPerSecond).toBeGreaterThan(0.8 * Math.min(1, load))
      if (load < 1) expect(count(outcomes, 'busy')).toBe(0)
    })

  it('ten long texts of ten keys at once: some finish in time, and the refused ones finish on retry', () => {
    const arrivals = Array.from({ length: 10 }, (_, i) => ({ atMs: 0, key: `key ${i}`, utterances: text(2000) }))
    const once = simulate(arrivals, { characterMs })
    expect(count(once, 'done')).toBeGreaterThanOrEqual(6)
    expect(count(once, 'done') + count(once, 'busy')).toBe(10)
    const returning = simulate(
      arrivals.map((arrival) => ({ ...arrival, returns: true })),
      { characterMs },
    )
    expect(count(returning, 'done')).toBe(10)
    for (const { retryAfterSeconds } of returning)
      for (const seconds of retryAfterSeconds) expect([Number.isInteger(seconds), seconds >= 1]).toEqual([true, true])
  })

  it('a retry at the stated time is admitted when no other request came', () => {
    const before = (keys: number) =>
      Array.from({ length: 60 }, (_, i) => ({ atMs: 0, key: `key ${i % keys}`, utterances: text(2000) }))
    for (const keys of [1, 2, 3, 8])
      for (const key of ['key 0', 'another'])
        for (const characters of [100, 1000, 2000]) {
          const last = { atMs: 10, key, utterances: text(characters), returns: true }
          const { status, retryAfterSeconds } = simulate([...before(keys), last], { characterMs }).find(
            ({ returns }) => returns,
          )!
          expect([status, retryAfterSeconds.length <= 1]).toEqual(['done', true])
        }
  })

  it('keys with equal demands get equal shares', () => {
    const arrivals = Array.from({ length: 8 }, (_, key) =>
      Array.from({ length: 600 }, (_, i) => ({ atMs: i * 1000 + key, key: `key ${key}`, utterances: text(1000) })),
    ).flat()
    const outcomes = simulate(
      arrivals.toSorted((a, b) => a.atMs - b.atMs),
      { characterMs },
    )
    const served = Array.from({ length: 8 }, (_, key) => {
      return outcomes.filter((outcome) => outcome.key === `key ${key}` && outcome.status === 'done').length
    })
    expect(count(outcomes, 'late')).toBe(0)
    expect(jainIndex(served)).toBeGreaterThan(0.9)
  })
})

describe('a key that comes first', () => {
  const flood = (seconds: number): Arrival[] =>
    Array.from({ length: seconds * 5 }, (_, i) => ({ atMs: i * 200, key: 'flood', utterances: text(2000) }))

  it('gets nearly all capacity while no other key asks', () => {
    const outcomes = simulate(flood(1), { characterMs })
    expect(count(outcomes, 'done')).toBe(5)
    const atOnce = simulate(
      Array.from({ length: 20 }, () => ({ atMs: 0, key: 'flood', utterances: text(2000) })),
      { characterMs },
    )
    expect(count(atOnce, 'done')).toBeGreaterThanOrEqual(5)
  })

  it('cannot shut out another key, whose first text is admitted and waits for one utterance per worker', () => {
    for (const utterances of [text(100), text(1000)]) {
      const late = { atMs: 60_000, key: 'late', utterances }
      const outcomes = simulate(
        [...flood(120), late].toSorted((a, b) => a.atMs - b.atMs),
        { characterMs },
      )
      const found = outcomes.find(({ key }) => key === 'late')!
      expect([found.status, found.retryAfterSeconds]).toEqual(['done', []])
      expect(found.firstTakenAtMs! - found.atMs).toBeLessThanOrEqual(2 * 100 * characterMs)
      expect(count(outcomes, 'late')).toBe(0)
    }
  })

  it('gets no more than its share once another key asks for as much', () => {
    const other = flood(200).map(({ utterances }, i) => ({ atMs: 60_000 + i * 200, key: 'other', utterances }))
    const outcomes = simulate(
      [...flood(260), ...other].toSorted((a, b) => a.atMs - b.atMs),
      { characterMs },
    )
    const during = outcomes.filter(({ status, endedAtMs }) => status === 'done' && endedAtMs > 110_000)
    const [mine, others] = ['flood', 'other'].map((key) => during.filter((outcome) => outcome.key === key).length)
    expect(others! / mine!).toBeWithin(0.7, 1.4)
    expect(count(outcomes, 'late')).toBe(0)
  })
})

describe('short texts', () => {
  it('of another key overtake long ones', () => {
    const long = Array.from({ length: 6 }, (_, i) => ({ atMs: 0, key: `key ${i}`, utterances: text(2000) }))
    const short = Array.from({ length: 8 }, (_, i) => ({ atMs: 1000 + i * 4000, key: 'short', utterances: text(100) }))
    const outcomes = simulate([...long, ...short], { characterMs })
    expect(count(outcomes, 'done')).toBe(14)
    for (const { key, atMs, firstTakenAtMs } of outcomes)
      if (key === 'short') expect(firstTakenAtMs! - atMs).toBeLessThanOrEqual(2 * 100 * characterMs)
  })
})

describe('a text that takes longer than its deadline allows', () => {
  const endless: Arrival = { atMs: 0, key: 'a', utterances: text(2000) }

  it('is refused at once, even by an idle server, and delays no other request', () => {
    const outcomes = simulate([endless, { atMs: 1, key: 'a', utterances: text(100) }], { characterMs: 100 })
    expect(outcomes.map(({ status, endedAtMs }) => [status, endedAtMs])).toEqual([
      ['too_long', 0],
      ['done', 1 + 100 * 100],
    ])
  })

  it('is admitted while the speed of its voice is unknown', () => {
    const [outcome] = simulate([endless], { characterMs: 100, trueCharacterMs: () => 1, measuredBefore: 0 })
    expect(outcome!.status).toBe('done')
  })
})

describe('the deadline of a text', () => {
  // 200 characters a worker take ten seconds; two workers do 40 of them a second.
  const slow = { characterMs: 50, timeoutMaxMs: 120_000 }
  const once = (characters: number, options = {}) =>
    simulate([{ atMs: 0, key: 'a', utterances: text(characters) }], { ...slow, ...options })[0]!

  it('is later for a long text of a slow voice, which is then done instead of refused', () => {
    expect(once(4000, { timeoutMaxMs: 60_000 })).toMatchObject({ status: 'too_long', endedAtMs: 0 })
    expect(once(4000)).toMatchObject({ status: 'done', endedAtMs: 100_000 })
  })

  it('never passes the ceiling: a text that does not fit is refused at once', () => {
    expect(once(7000)).toMatchObject({ status: 'too_long', endedAtMs: 0 })
  })

  it('stays the usual one for a text that takes little of it', () => {
    // The machine becomes so slow that nothing ends.
    expect(once(400, { trueCharacterMs: () => 10_000 })).toMatchObject({ status: 'late', endedAtMs: 60_000 })
    expect(once(4000, { trueCharacterMs: () => 10_000 })).toMatchObject({ status: 'late', endedAtMs: 120_000 })
  })

  it('leaves room for other requests beside a long one', () => {
    const long = { atMs: 0, key: 'long', utterances: text(2000) }
    const short = Array.from({ length: 5 }, (_, i) => ({ atMs: 1000 + i * 8000, key: 'short', utterances: text(100) }))
    const outcomes = simulate([long, ...short], slow)
    expect(outcomes.map(({ status }) => status)).toEqual(outcomes.map(() => 'done'))
  })

  it('lets a long text wait for one that came before', () => {
    const arrivals = ['a', 'b'].map((key, i) => ({ atMs: i, key, utterances: text(1000), returns: true }))
    const outcomes = simulate(arrivals, slow)
    expect(outcomes.map(({ status, retryAfterSeconds }) => [status, retryAfterSeconds])).toEqual([
      ['done', []],
      ['done', []],
    ])
  })
})

describe('a voice that only a probe has measured', () => {
  const probed = { characterMs: 6, measuredBefore: 0, timeoutMaxMs: 120_000 }

  it('is slow from its first request on: a text that does not fit is refused at once, one that fits is done', () => {
    const options = { ...probed, probedCharacterMs: 200, trueCharacterMs: () => 200 }
    const arrivals = [2000, 1000].map((characters, i) => ({ atMs: i, key: 'a', utterances: text(characters) }))
    expect(simulate(arrivals, options).map(({ status, endedAtMs }) => [status, endedAtMs])).toEqual([
      ['too_long', 0],
      ['done', 1 + (1000 / workers) * 200],
    ])
  })

  it('and falsely found slow, does long texts once it has done a short one', () => {
    const options = { ...probed, probedCharacterMs: 200, trueCharacterMs: () => 20 }
    const arrivals = [2000, 500, 2000].map((characters, i) => ({
      atMs: i * 60_000,
      key: 'a',
      utterances: text(characters),
    }))
    expect(simulate(arrivals, options).map(({ status }) => status)).toEqual(['too_long', 'done', 'done'])
  })

  it('and falsely found fast, refuses long texts at once after the first one', () => {
    const options = { ...probed, probedCharacterMs: 6, trueCharacterMs: () => 200 }
    const arrivals = Array.from({ length: 3 }, (_, i) => ({ atMs: i * 130_000, key: 'a', utterances: text(2000) }))
    expect(simulate(arrivals, options).map(({ status }) => status)).toEqual(['late', 'too_long', 'too_long'])
  })
})

describe('a first request', () => {
  it('is admitted when it is alone, whatever the estimate of its voice', () => {
    const [outcome] = simulate([{ atMs: 0, key: 'a', utterances: text(2000) }], { characterMs: 55 })
    expect(outcome!.status).toBe('done')
  })
})

describe('when the machine becomes slower than it was', () => {
  const arrivals = (each: number) =>
    Array.from({ length: 8 }, (_, i) => ({ atMs: i, key: `key ${i % each}`, utterances: text(2000) }))

  it('by a fifth, no admitted request is late', () => {
    const outcomes = simulate(arrivals(8), { characterMs, trueCharacterMs: (atMs) => (atMs > 100 ? 7.2 : 6) })
    expect(count(outcomes, 'late')).toBe(0)
    expect(count(outcomes, 'done')).toBeGreaterThanOrEqual(6)
  })

  it('by half, the requests closest to completion finish instead of all being late', () => {
    const outcomes = simulate(arrivals(8), { characterMs, trueCharacterMs: (atMs) => (atMs > 20_000 ? 12 : 6) })
    expect(count(outcomes, 'done')).toBeGreaterThanOrEqual(4)
  })
})

describe('the number of places', () => {
  it('is limited, and a refusal states when one may be free', () => {
    const many = Array.from({ length: 4 }, (_, i) => ({ atMs: 0, key: `key ${i}`, utterances: text(500) }))
    const outcomes = simulate(many, { characterMs, placesMax: 3 })
    const refused = outcomes.filter(({ status }) => status === 'full')
    expect([refused.length, count(outcomes, 'done')]).toEqual([1, 3])
    expect(refused[0]!.retryAfterSeconds[0]).toBeGreaterThanOrEqual(1)
  })
})
