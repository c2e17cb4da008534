/** How long the balance lasts at the present pace. */
import type { Schema } from '../../client/client'

type Day = Schema<'UsageDays'>['days'][number]

export type Forecast = {
  /** Characters per day; 0: nothing was used lately. */
  readonly pace: number
  /** How many days the pace was measured over. */
  readonly paceDays: number
  /** Undefined without a pace. */
  readonly daysLeft: number | undefined
  /** Filled part of the gauge: the balance, of all that was there or was used in these days. */
  readonly ratio: number
  readonly tone: 'good' | 'warn' | 'bad'
}

/** The pace is that of the last week, or of the days since the first use in it. */
const paceDaysMax = 7
const dayMs = 86_400_000
/** Below this many days the gauge warns. */
export const daysLeftWarning = 7

/** `days`: oldest first, in UTC, the last one being today. */
export function forecast(balance: number, days: readonly Day[], nowMs: number): Forecast {
  const recent = days.slice(-paceDaysMax)
  const first = recent.findIndex(({ units }) => units > 0)
  const used = recent.reduce((sum, { units }) => sum + units, 0)
  // Today is not over. The first hours of the first day would make a pace of almost any size.
  const elapsed = recent.length - first - 1 + (nowMs % dayMs) / dayMs
  const paceDays = first === -1 ? 0 : Math.max(1, elapsed)
  const pace = paceDays === 0 ? 0 : used / paceDays
  const daysLeft = pace > 0 ? balance / pace : undefined
  const usedInAll = days.reduce((sum, { units }) => sum + units, 0)
  const ratio = balance <= 0 ? 0 : balance / (balance + usedInAll)
  return { pace, paceDays, daysLeft, ratio, tone: toneOf(balance, daysLeft) }
}

function toneOf(balance: number, daysLeft: number | undefined): Forecast['tone'] {
  if (balance <= 0 || (daysLeft !== undefined && daysLeft < 1)) return 'bad'
  return daysLeft !== undefined && daysLeft < daysLeftWarning ? 'warn' : 'good'
}
