import { describe, expect, it } from 'bun:test'
import { createFairQueue } from '../../src/workers/fair-queue'

type Push = { key: string; job: object; cost?: number; count?: number }

/** Fills a queue with tasks named after their job, and returns the order in which it releases them. */
function order(pushes: Push[], names: Map<object, string>): string[] {
  const queue = createFairQueue<string>()
  for (const { key, job, cost = 100, count = 1 } of pushes)
    for (let i = 0; i < count; i++) queue.push({ key, job, cost, task: `${names.get(job)}${i}` })
  const taken: string[] = []
  for (let entry = queue.take(); entry; entry = queue.take()) taken.push(entry.task)
  expect(queue.size).toBe(0)
  expect(queue.cost).toBe(0)
  return taken
}

describe('the fair queue', () => {
  it('keeps the order of one job', () => {
    const job = {}
    expect(order([{ key: 'a', job, count: 4 }], new Map([[job, 'j']]))).toEqual(['j0', 'j1', 'j2', 'j3'])
  })

  it('makes a short job wait for at most one task of a long job of the same key', () => {
    const [long, short] = [{}, {}]
    const taken = order(
      [
        { key: 'a', job: long, count: 20 },
        { key: 'a', job: short },
      ],
      new Map([
        [long, 'long'],
        [short, 'short'],
      ]),
    )
    expect(taken.indexOf('short0')).toBeLessThanOrEqual(1)
  })

  it('makes a short job wait for at most one task of a long job of another key', () => {
    const [long, short] = [{}, {}]
    const queue = createFairQueue<string>()
    for (let i = 0; i < 20; i++) queue.push({ key: 'a', job: long, cost: 300, task: 'long' })
    for (let i = 0; i < 5; i++) queue.take()
    queue.push({ key: 'b', job: short, cost: 100, task: 'short' })
    expect([queue.take()!.task, queue.take()!.task]).toContain('short')
  })

  it('gives two keys with one job each the same number of characters', () => {
    const [large, small] = [{}, {}]
    const queue = createFairQueue<string>()
    for (let i = 0; i < 100; i++) queue.push({ key: 'a', job: large, cost: 300, task: 'a' })
    for (let i = 0; i < 300; i++) queue.push({ key: 'b', job: small, cost: 100, task: 'b' })
    const characters = { a: 0, b: 0 }
    for (let i = 0; i < 100; i++) {
      const { task, cost } = queue.take()!
      characters[task as 'a' | 'b'] += cost
    }
    expect(characters.a / characters.b).toBeWithin(0.9, 1.1)
  })

  it('leaves a single long text at most a fifth of the machine beside sixty short ones of another key', () => {
    const long = {}
    const queue = createFairQueue<string>()
    for (let i = 0; i < 60; i++) queue.push({ key: 'busy', job: {}, cost: 100, task: 'short' })
    for (let i = 0; i < 60; i++) queue.push({ key: 'lone', job: long, cost: 250, task: 'long' })
    const characters = { short: 0, long: 0 }
    for (let i = 0; i < 200; i++) {
      const { task, cost } = queue.take()!
      characters[task as 'short' | 'long'] += cost
      if (task === 'short') queue.push({ key: 'busy', job: {}, cost: 100, task: 'short' })
    }
    expect(characters.long).toBeGreaterThan(0)
    expect(characters.long / (characters.short + characters.long)).toBeLessThan(0.2)
  })

  it('does not let a key jump ahead by leaving the queue for a moment', () => {
    const queue = createFairQueue<string>()
    const [one, other] = [{}, {}]
    for (let i = 0; i < 50; i++) queue.push({ key: 'steady', job: one, cost: 100, task: 'steady' })
    const taken: string[] = []
    for (let i = 0; i < 40; i++) {
      if (queue.size < 60 && !taken.slice(-1).includes('hasty'))
        queue.push({ key: 'hasty', job: other, cost: 300, task: 'hasty' })
      taken.push(queue.take()!.task)
    }
    expect(taken.filter((task) => task === 'hasty').length).toBeLessThanOrEqual(12)
  })

  it('drops the waiting tasks of one job only', () => {
    const queue = createFairQueue<string>()
    const [gone, stays] = [{}, {}]
    for (let i = 0; i < 3; i++) queue.push({ key: 'a', job: gone, cost: 10, task: 'gone' })
    queue.push({ key: 'a', job: stays, cost: 10, task: 'stays' })
    expect(queue.drop('a', gone).map(({ task }) => task)).toEqual(['gone', 'gone', 'gone'])
    expect(queue.drop('a', gone)).toEqual([])
    expect(queue.size).toBe(1)
    expect(queue.take()!.task).toBe('stays')
    expect(queue.take()).toBeUndefined()
  })
})
