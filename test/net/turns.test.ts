/** Turns of downloads: limits, order and fairness between keys. */
import { describe, expect, it } from 'bun:test'
import { AppError } from '../../src/errors'
import { createTurns, type Turns } from '../../src/net/download/turns'

const never = new AbortController().signal

/** Takes a turn for `key`. `end` ends it once it has begun. */
function take(turns: Turns, key: string, signal: AbortSignal = never) {
  const turn = { key, state: 'waits' as 'waits' | 'runs' | AppError, end: () => {} }
  const settled = turns.take(key, signal).then(
    (end) => Object.assign(turn, { state: 'runs', end }),
    (error) => Object.assign(turn, { state: error }),
  )
  return Object.assign(turn, { settled })
}

const takeMany = (turns: Turns, key: string, count: number) => Array.from({ length: count }, () => take(turns, key))
const running = (list: readonly { state: unknown }[]) => list.filter(({ state }) => state === 'runs').length
/** Resolves when all promises that can settle have settled. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('turns', () => {
  it('never exceed the limit, for one key or several', async () => {
    const turns = createTurns({ runningMax: 8, waitingMax: 1000 })
    const all = Array.from({ length: 20 }, (_, key) => takeMany(turns, `key ${key}`, 20)).flat()
    for (let ended = 0; ended < all.length; ended++) {
      await settle()
      expect(running(all)).toBeLessThanOrEqual(8)
      const next = all.find(({ state }) => state === 'runs')!
      expect(next).toBeDefined()
      next.end()
      Object.assign(next, { state: 'ended' })
    }
  })

  it('of one key leave a place free: the next key begins at once', async () => {
    const turns = createTurns({ runningMax: 8, waitingMax: 64 })
    const busy = takeMany(turns, 'busy', 24)
    await settle()
    expect(running(busy)).toBe(4)
    const other = take(turns, 'other')
    const third = take(turns, 'third')
    await settle()
    expect([other.state, third.state]).toEqual(['runs', 'runs'])
    expect(running(busy)).toBe(4)
  })

  it('alternate between keys, in order of arrival', async () => {
    const turns = createTurns({ runningMax: 1, waitingMax: 64 })
    const a = takeMany(turns, 'a', 3)
    const b = takeMany(turns, 'b', 2)
    const c = takeMany(turns, 'c', 1)
    const order: string[] = []
    for (let ended = 0; ended < 6; ended++) {
      await settle()
      const next = [...a, ...b, ...c].find(({ state }) => state === 'runs')!
      order.push(next.key)
      next.end()
      Object.assign(next, { state: 'ended' })
    }
    expect(order).toEqual(['a', 'a', 'b', 'c', 'a', 'b'])
  })

  it('come for every key: none waits for ever beside busy ones', async () => {
    const turns = createTurns({ runningMax: 4, waitingMax: 1000 })
    const busy = [takeMany(turns, 'a', 50), takeMany(turns, 'b', 50), takeMany(turns, 'c', 50)].flat()
    await settle()
    for (const round of [1, 2, 3]) {
      const small = take(turns, 'small')
      // Turns of other keys that end before the turn of the small key begins.
      let others = 0
      for (await settle(); small.state !== 'runs'; await settle(), others++) {
        const next = busy.find(({ state }) => state === 'runs')!
        next.end()
        Object.assign(next, { state: 'ended' })
      }
      expect([round, others <= 4]).toEqual([round, true])
      small.end()
    }
  })

  it('are refused with a retry time when too many wait, but another key still gets one', async () => {
    const turns = createTurns({ runningMax: 1, waitingMax: 10 })
    const busy = takeMany(turns, 'busy', 20)
    await settle()
    expect(busy.filter(({ state }) => state === 'waits')).toHaveLength(5)
    const refused = busy[19]!.state as AppError
    expect([refused.code, refused.param]).toEqual(['rate_limited', 'url'])
    expect(refused.retryAfterSeconds).toBeGreaterThanOrEqual(1)
    const other = take(turns, 'other')
    await settle()
    expect(other.state).toBe('waits')
  })

  it('of clients that leave go to the next in line', async () => {
    const turns = createTurns({ runningMax: 1, waitingMax: 10 })
    const leaving = new AbortController()
    const first = take(turns, 'a')
    const second = take(turns, 'b', leaving.signal)
    const third = take(turns, 'c')
    await settle()
    const reason = new AppError('client_gone', 'gone')
    leaving.abort(reason)
    await settle()
    expect(second.state).toBe(reason)
    first.end()
    await settle()
    expect(third.state).toBe('runs')
    expect((await take(turns, 'd', leaving.signal).settled).state).toBe(reason)
  })
})
