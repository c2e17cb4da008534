/**
 * A scheduler without processes, on a simulated clock: the real admission, queue, turns and speeds, and workers that
 * only take time. Every run gives the same result, however busy the machine is.
 */
import { createAdmission, type Place } from '../../src/workers/admission'
import { createFairQueue } from '../../src/workers/fair-queue'
import { createSpeeds, type Measure } from '../../src/workers/speeds'
import { takeNext } from '../../src/workers/turns'
import { createWork, type RequestWork } from '../../src/workers/work'

export type Arrival = {
  readonly atMs: number
  readonly key: string
  /** Characters per utterance. */
  readonly utterances: readonly number[]
  /** Whether it retries at the stated time. */
  readonly returns?: boolean
}

export type Outcome = Arrival & {
  readonly status: 'done' | 'late' | 'busy' | 'full' | 'too_long'
  readonly endedAtMs: number
  readonly firstTakenAtMs: number | undefined
  /** Called for every refusal. */
  readonly retryAfterSeconds: readonly number[]
}

export type Simulated = {
  readonly workers?: number
  readonly timeoutMs?: number
  /** Latest deadline of a long text. */
  readonly timeoutMaxMs?: number
  readonly placesMax?: number
  /** Prior before any measurement. */
  readonly characterMs: number
  /** True time per character at that moment. */
  readonly trueCharacterMs?: (atMs: number) => number
  /** Tasks measured before the start. */
  readonly measuredBefore?: number
  /** Time per character that a probe measured. */
  readonly probedCharacterMs?: number
}

type Job = { place: Place; work: RequestWork; arrival: Arrival; left: number; firstTakenAtMs?: number; ended: boolean }
type Task = { job: Job; measure: Measure }
type Event = { atMs: number; run: () => void }

/** Runs until everything has ended. */
export function simulate(arrivals: readonly Arrival[], options: Simulated): Outcome[] {
  const {
    workers = 2,
    timeoutMs = 60_000,
    timeoutMaxMs = timeoutMs,
    placesMax = 512,
    characterMs,
    measuredBefore = 20,
    probedCharacterMs,
  } = options
  const trueCharacterMs = options.trueCharacterMs ?? (() => characterMs)
  let now = 0
  const nowMs = () => now
  const speeds = createSpeeds(() => ({ fixed: 0, each: characterMs, typicalSize: 100 }), nowMs)
  const admission = createAdmission({ workers, placesMax, horizonMs: timeoutMs, nowMs })
  const queue = createFairQueue<Task>()
  const outcomes: Outcome[] = []
  const events: Event[] = []
  const refusals = new Map<Arrival, number[]>()
  let idle = workers

  const prior = probedCharacterMs === undefined ? undefined : { fixed: 0, each: probedCharacterMs }
  const measureOf = (characters: number): Measure => ({ name: 'voice', family: 'voice', size: characters, prior })
  for (let i = 0; i < measuredBefore; i++) speeds.learn(measureOf(100), 100 * characterMs)

  function at(atMs: number, run: () => void): void {
    const later = events.findIndex((event) => event.atMs > atMs)
    events.splice(later < 0 ? events.length : later, 0, { atMs, run })
  }

  function end(arrival: Arrival, status: Outcome['status'], firstTakenAtMs?: number): void {
    const retryAfterSeconds = refusals.get(arrival) ?? []
    outcomes.push({ ...arrival, status, endedAtMs: now, firstTakenAtMs, retryAfterSeconds })
  }

  function arrive(arrival: Arrival): void {
    const { key, utterances, returns } = arrival
    const parts = utterances.map((characters) => ({ task: measureOf(characters) }))
    const work = createWork(speeds, { parts, nowMs })
    const usualAtMs = now + timeoutMs
    const deadlineAtMs = admission.deadlineFor(work, { usualAtMs, latestAtMs: now + timeoutMaxMs })
    const answer = admission.admit({ key, deadlineAtMs, work, isLong: deadlineAtMs > usualAtMs })
    if ('reason' in answer) {
      if (answer.reason === 'too_long') return end(arrival, answer.reason)
      refusals.set(arrival, [...(refusals.get(arrival) ?? []), answer.retryAfterSeconds])
      if (!returns) return end(arrival, answer.reason)
      return at(now + answer.retryAfterSeconds * 1000, () => arrive(arrival))
    }
    const job: Job = { place: answer, work, arrival, left: utterances.length, ended: false }
    for (const { task: measure } of parts) queue.push({ key, job, cost: measure.size, task: { job, measure } })
    at(deadlineAtMs, () => finish(job, 'late'))
    pump()
  }

  function finish(job: Job, status: 'done' | 'late'): void {
    if (job.ended) return
    job.ended = true
    queue.drop(job.place.key, job)
    job.place.leave()
    end(job.arrival, status, job.firstTakenAtMs)
  }

  function pump(): void {
    while (idle > 0) {
      const entry = takeNext(queue, admission, { workers, nowMs: now, fits: () => true })
      if (!entry) return
      const { job, measure } = entry.task
      const tookMs = measure.size * trueCharacterMs(now)
      job.firstTakenAtMs ??= now
      job.work.begin(measure)
      idle--
      at(now + tookMs, () => {
        idle++
        job.work.end(measure, true)
        speeds.learn(measure, tookMs)
        if (--job.left === 0) finish(job, 'done')
        pump()
      })
    }
  }

  for (const arrival of arrivals) at(arrival.atMs, () => arrive(arrival))
  for (let event = events.shift(); event; event = events.shift()) {
    now = event.atMs
    event.run()
  }
  return outcomes
}

export const charactersOf = ({ utterances }: Arrival) => utterances.reduce((sum, characters) => sum + characters, 0)

/** Utterances of a hundred characters for a text of `characters`. */
export const text = (characters: number) => Array.from({ length: characters / 100 }, () => 100)

/** Jain's fairness index: 1 for equal shares, 1 / n if one gets all (Jain, Chiu and Hawe 1984). */
export function jainIndex(values: readonly number[]): number {
  const sum = values.reduce((a, b) => a + b, 0)
  return sum ** 2 / (values.length * values.reduce((a, b) => a + b * b, 0))
}
