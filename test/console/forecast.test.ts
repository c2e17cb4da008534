/** The overview says when the balance runs out at the present pace. */
import { describe, expect, it } from 'bun:test'
import { forecast } from '../../src/console/pages/overview/forecast'

/** Noon. */
const nowMs = Date.UTC(2026, 10, 22, 12)

const daysOf = (...units: number[]) =>
  [...new Array<number>(30 - units.length).fill(0), ...units].map((units, i) => ({
    date: new Date(nowMs - (29 - i) * 86_400_000).toISOString().slice(0, 10),
    requests: units > 0 ? 1 : 0,
    units,
    audio_ms: 0,
  }))

describe('forecast', () => {
  it('divides the balance by the pace of the last week, of which today is not over', () => {
    const { pace, daysLeft, tone } = forecast(13_000, daysOf(9999, 1000, 1000, 1000, 1000, 1000, 1000, 500), nowMs)
    expect(pace).toBeCloseTo(1000)
    expect(daysLeft).toBeCloseTo(13)
    expect(tone).toBe('good')
  })

  it('takes the days since the first use, at least one', () => {
    expect(forecast(1000, daysOf(100, 50), nowMs).pace).toBeCloseTo(100)
    expect(forecast(1000, daysOf(50), nowMs).pace).toBe(50)
  })

  it('warns a week before the end, and on the last day', () => {
    expect(forecast(650, daysOf(100), nowMs).tone).toBe('warn')
    expect(forecast(99, daysOf(100), nowMs).tone).toBe('bad')
    expect(forecast(0, daysOf(), nowMs)).toMatchObject({ tone: 'bad', ratio: 0 })
  })

  it('has no pace without use, and says so', () => {
    expect(forecast(10, daysOf(), nowMs)).toMatchObject({ pace: 0, daysLeft: undefined, ratio: 1, tone: 'good' })
    expect(forecast(10, [], nowMs).daysLeft).toBeUndefined()
    expect(forecast(100, daysOf(300, 0, 0, 0, 0, 0, 0, 0), nowMs)).toMatchObject({ daysLeft: undefined, ratio: 0.25 })
  })
})
