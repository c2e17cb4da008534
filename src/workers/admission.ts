/**
 * Who is let in. A request gets a place when its work can be done before its deadline behind all work that was let in
 * before and is due no later (earliest deadline first on `workers` machines); else it is refused at once and told when to
 * come again. While work waits, keys share the time that may be promised equally, so that who comes first cannot have
 * all of it:
 *
 * - Only `promisedShare` of the time until a deadline is promised. The rest is for wrong estimates and for fair turns,
 *   which delay what is due first for the sake of others.
 * - The last `newcomerShare` of that is for keys that have no place yet, or that come back as they were told.
 * - A key with places gets further ones up to its equal share among the keys that have places or were refused lately.
 *   Alone it gets everything but the newcomers' share.
 */
import type { Work } from './work'

/** Where a request stands: let in until `leave`. */
export type Place = {
  readonly key: string
  /** By the clock of the admission, and so are all other times. */
  readonly deadlineAtMs: number
  /** Fair turns must not make it later than that. */
  readonly turnsUntilMs: number
  /** What is left to do; to be replaced when more is known. */
  work: Work
  leave(): void
}

export type Demand = { readonly key: string; readonly deadlineAtMs: number; readonly work: Work }

export type Refusal =
  /** It takes longer than its deadline allows, even alone. */
  | { readonly reason: 'too_long' }
  /** `full`: as many requests as there may be. `busy`: it could not be done in time, or is beyond its key's share. */
  | { readonly reason: 'full' | 'busy'; readonly retryAfterSeconds: number }

export type Admission = ReturnType<typeof createAdmission>

/**
 * The machine may become slower after the promise: measured on two cores with seven busy neighbours, an utterance took up
 * to twice as long half a minute later. A shorter queue costs no goodput, for workers only rest when it is empty.
 */
const promisedShare = 0.65
/** Of the time until a deadline, what promises and fair turns may use up together. */
const turnsShare = 0.9
/** Those who come back as they were told are not refused for a small error of the first estimate. */
const returningShare = 0.7
const newcomerShare = 1 / 6
/** A text is too long when it is so much longer than its deadline that no error of the estimate can explain it. */
const tooLongFactor = 1.25
/** A key may always have this much waiting for each worker, so that no worker rests because many keys were refused. */
const shareMinMs = 1_000
/** How long a key counts as wanting its share after the time that it was told to come again. */
const returnWithinMs = 5_000
/** The estimate of how fast others make room may be too good by this. */
const retryCaution = 1.1
const retrySecondsMax = 60

/** `horizonMs`: no further ahead than that anything is promised, however late its deadline. */
export function createAdmission({
  workers,
  placesMax,
  horizonMs,
  nowMs = () => performance.now(),
}: {
  workers: number
  placesMax: number
  horizonMs: number
  nowMs?: () => number
}) {
  /** Earliest deadline first. */
  const places: Place[] = []
  /** Keys that were refused: when they were told to come again. */
  const refused = new Map<string, number>()

  function enter({ key, deadlineAtMs, work }: Demand): Place {
    const enteredAtMs = nowMs()
    const place: Place = {
      key,
      deadlineAtMs,
      turnsUntilMs: enteredAtMs + turnsShare * (deadlineAtMs - enteredAtMs),
      work,
      leave() {
        const index = places.indexOf(place)
        if (index >= 0) places.splice(index, 1)
      },
    }
    const later = places.findIndex((other) => other.deadlineAtMs > deadlineAtMs)
    places.splice(later < 0 ? places.length : later, 0, place)
    return place
  }

  /** Worker milliseconds by key. */
  function heldByKey(): Map<string, number> {
    const held = new Map<string, number>()
    for (const { key, work } of places) held.set(key, (held.get(key) ?? 0) + work.leftMs())
    return held
  }

  function forgetRefused(): void {
    const now = nowMs()
    for (const [key, dueAtMs] of refused) if (dueAtMs + returnWithinMs < now) refused.delete(key)
  }

  /** Whether `demand` may enter in `inMs`, when nothing else comes and all keys are served alike. */
  function isAllowed(demand: Demand, held: ReadonlyMap<string, number>, inMs: number): boolean {
    const { key, work } = demand
    const atMs = nowMs() + inMs
    const left = serve(held, workers * inMs)
    const total = sum(left.values())
    if (total === 0) return true
    const costMs = work.leftMs()
    const dueAtMs = refused.get(key)
    // In the future it comes as it was told.
    const isReturning = inMs > 0 || (dueAtMs !== undefined && dueAtMs <= atMs)
    const aheadMs = Math.min(horizonMs, demand.deadlineAtMs - nowMs())
    const usableMs = (isReturning && inMs === 0 ? returningShare : promisedShare) * aheadMs
    const finishMs = finishInMs(work, { workers, nowMs: atMs, beforeMs: total, laneMs: laneMs(work, inMs) })
    if (finishMs > usableMs) return false
    const own = left.get(key) ?? 0
    if (own === 0) return true
    const wanting = new Set([key, ...left.keys()])
    for (const [other, otherDueAtMs] of refused) if (otherDueAtMs + returnWithinMs > atMs) wanting.add(other)
    const shared = workers * usableMs * (1 - newcomerShare)
    const most = wanting.size === 1 ? shared : Math.max(shared / wanting.size, workers * shareMinMs)
    return own + costMs <= most && (isReturning || total + costMs <= shared)
  }

  /** Work that waits for the same processes. */
  function laneMs({ lane }: Work, inMs: number): number {
    if (!lane) return 0
    const all = sum(places.map(({ work }) => (work.lane?.name === lane.name ? work.leftMs() : 0)))
    return Math.max(0, all - lane.width * inMs)
  }

  /** Whether those who are due later are still done in time, were `demand` done before them. */
  function delaysNobody(demand: Demand): boolean {
    let beforeMs = demand.work.leftMs()
    for (const { deadlineAtMs, work } of places) {
      const finishMs = finishInMs(work, { workers, nowMs: nowMs(), beforeMs, laneMs: 0 })
      if (deadlineAtMs > demand.deadlineAtMs && finishMs > returningShare * (deadlineAtMs - nowMs())) return false
      beforeMs += work.leftMs()
    }
    return true
  }

  function secondsUntilAllowed(demand: Demand, held: ReadonlyMap<string, number>): number {
    let [low, high] = [0, Math.ceil(sum(held.values()) / workers / 1000) + 1]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (isAllowed(demand, held, middle * 1000)) high = middle
      else low = middle
    }
    return toRetryAfter(high)
  }

  /** When the one with the least left is done, at equal turns. */
  function secondsUntilRoom(): number {
    const least = Math.min(...places.map(({ work }) => work.leftMs()))
    return toRetryAfter((least * places.length) / workers / 1000)
  }

  return {
    /** Earliest deadline first. */
    places: places as readonly Place[],

    /** What was let in and is not done, in worker milliseconds. */
    get admittedMs(): number {
      return sum(places.map(({ work }) => work.leftMs()))
    },

    admit(demand: Demand): Place | Refusal {
      const { key, deadlineAtMs, work } = demand
      forgetRefused()
      const aloneMs = finishInMs(work, { workers, nowMs: nowMs(), beforeMs: 0, laneMs: 0 })
      if (aloneMs > tooLongFactor * (deadlineAtMs - nowMs()) && work.isKnown()) return { reason: 'too_long' }
      if (places.length >= placesMax) return { reason: 'full', retryAfterSeconds: secondsUntilRoom() }
      const held = heldByKey()
      if (places.length > 0 && !(isAllowed(demand, held, 0) && delaysNobody(demand))) {
        const retryAfterSeconds = secondsUntilAllowed(demand, held)
        refused.set(key, nowMs() + retryAfterSeconds * 1000)
        return { reason: 'busy', retryAfterSeconds }
      }
      refused.delete(key)
      return enter(demand)
    },
  }
}

/** In how many ms `work` is done when `beforeMs` of other work come first, `laneMs` of them for the same processes. */
export function finishInMs(
  work: Work,
  {
    workers,
    nowMs,
    beforeMs,
    laneMs,
  }: { readonly workers: number; readonly nowMs: number; readonly beforeMs: number; readonly laneMs: number },
): number {
  const [leftMs, chainMs] = [work.leftMs(), work.chainMs()]
  const ownMs = chainMs + Math.max(0, leftMs - chainMs) / workers
  const readyInMs = Math.max(0, work.readyAtMs - nowMs)
  const inLaneMs = work.lane ? (laneMs + leftMs) / work.lane.width : 0
  return Math.max(beforeMs / workers + ownMs, readyInMs + Math.max(ownMs, inLaneMs))
}

/** What is left to each when all are served alike until `ms` of work are done; who has nothing left is gone. */
function serve(held: ReadonlyMap<string, number>, ms: number): Map<string, number> {
  const left = new Map([...held].filter(([, heldMs]) => heldMs > 0).sort(([, a], [, b]) => a - b))
  let toServe = ms
  let level = 0
  for (const [key, heldMs] of left) {
    const step = Math.min(heldMs - level, toServe / left.size)
    level += step
    toServe -= step * left.size
    if (level < heldMs) break
    left.delete(key)
  }
  for (const [key, heldMs] of left) left.set(key, heldMs - level)
  return left
}

function toRetryAfter(seconds: number): number {
  return Math.min(retrySecondsMax, Math.max(1, Math.ceil(seconds * retryCaution)))
}

function sum(values: Iterable<number>): number {
  let total = 0
  for (const value of values) total += value
  return total
}
