import { describe, expect, it } from 'bun:test'
import { createSpeeds, type Measure } from '../../src/workers/speeds'

const prior = { fixed: 20, each: 5, typicalSize: 100 }
const task = (size: number, name = 'voice', family = 'engine'): Measure => ({ name, family, size })

function start() {
  let now = 0
  const speeds = createSpeeds(
    () => prior,
    () => now,
  )
  return { speeds, wait: (ms: number) => (now += ms) }
}

describe('the expected time of a task', () => {
  it('is the prior before any measurement', () => {
    expect(start().speeds.expected(task(100))).toBe(520)
  })

  it('follows the measured times, with a fixed part and a part per unit', () => {
    const { speeds } = start()
    for (let i = 0; i < 60; i++) for (const size of [10, 50, 200]) speeds.learn(task(size), 7 + 2 * size)
    for (const size of [1, 100, 300]) expect(speeds.expected(task(size)) / (7 + 2 * size)).toBeWithin(0.95, 1.05)
  })

  it('follows when the machine becomes slower or faster', () => {
    const { speeds } = start()
    for (const each of [2, 6, 1]) {
      for (let i = 0; i < 80; i++) speeds.learn(task(100), 100 * each)
      expect(speeds.expected(task(100)) / (100 * each)).toBeWithin(0.9, 1.15)
    }
  })

  it('of an unmeasured voice is that of its engine, and not of another engine', () => {
    const { speeds } = start()
    for (let i = 0; i < 40; i++) speeds.learn(task(100), 100)
    expect(speeds.expected(task(100, 'sister'))).toBeWithin(95, 115)
    expect(speeds.expected(task(100, 'stranger', 'other engine'))).toBe(520)
  })

  it('is that of the probe before any measurement, which tasks then correct', () => {
    const { speeds } = start()
    const probed = { ...task(100), prior: { fixed: 0, each: 50 } }
    for (let i = 0; i < 40; i++) speeds.learn(task(100, 'sister'), 100)
    expect(speeds.expected(probed)).toBe(5_000)
    for (let i = 0; i < 3; i++) speeds.learn(probed, 500)
    expect(speeds.expected(probed)).toBeWithin(500, 1_000)
  })

  it('follows quickly when the machine became faster or slower in an idle time', () => {
    const { speeds, wait } = start()
    for (const each of [60, 2, 60]) {
      for (let i = 0; i < 40; i++) speeds.learn(task(100), 100 * each)
      wait(300_000)
    }
    for (let i = 0; i < 3; i++) speeds.learn(task(100), 1_000)
    expect(speeds.expected(task(100))).toBeLessThan(4_000)
  })

  it('changes little after one delayed task', () => {
    const { speeds } = start()
    for (let i = 0; i < 40; i++) speeds.learn(task(100), 100)
    speeds.learn(task(100), 100_000)
    expect(speeds.expected(task(100))).toBeLessThan(130)
  })

  it('is never negative, whatever was measured', () => {
    const { speeds } = start()
    for (const [size, ms] of [
      [300, 1],
      [10, 900],
      [300, 2],
      [5, 800],
    ] as const)
      speeds.learn(task(size), ms)
    for (const size of [0, 1, 100, 1000]) expect(speeds.expected(task(size))).toBeGreaterThanOrEqual(0)
  })
})

describe('a speed', () => {
  it('is known after three tasks, and unknown again five minutes later', () => {
    const { speeds, wait } = start()
    const known: boolean[] = []
    for (let i = 0; i < 3; i++) {
      known.push(speeds.isKnown('voice'))
      speeds.learn(task(100), 100)
    }
    known.push(speeds.isKnown('voice'))
    wait(300_000)
    known.push(speeds.isKnown('voice'))
    expect(known).toEqual([false, false, false, true, false])
  })
})
