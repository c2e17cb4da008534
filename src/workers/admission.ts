/**
 * Admission control. A request gets a place when its work can finish before its deadline behind all admitted work with
 * an earlier or equal deadline (earliest deadline first on `workers` machines). Otherwise it is refused at once with a
 * time to retry. While work waits, keys share the promised time equally, so that the first key cannot take all of it:
 *
 * - Only `promisedShare` of the time until a deadline is promised. The rest covers wrong estimates and fair turns,
 *   which delay the earliest deadline in favour of others.
 * - The last `newcomerShare` of that is reserved for keys without a place and for keys that return when told to.
 * - A key with places gets more up to its equal share among the keys that have places or were refused recently. A
 *   single key gets everything but the newcomers' share.
 */
import type { Work } from './work'

/** The place of an admitted request, until `leave`. */
export type Place = {
  readonly key: string
  /** On the clock of the admission, like all other times here. */
  readonly deadlineAtMs: number
  /** Fair turns must not delay the request beyond this time. */
  readonly turnsUntilMs: number
  /** As in its demand. */
  readonly isLong: boolean
  /** Remaining work. Replace it when a better estimate is known. */
  work: Work
  leave(): void
}

export type Demand = {
  readonly key: string
  readonly deadlineAtMs: number
  readonly work: Work
  /** Whether all time until its deadline counts, although it is farther than the horizon. */
  readonly isLong?: boolean
}

export type Refusal =
  /** It takes longer than its deadline allows, even on an idle machine. `share`: the part of it that would fit. */
  | { readonly reason: 'too_long'; readonly share: number }
  /** `full`: too many requests. `busy`: it would not finish in time, or exceeds its key's share. */
  | { readonly reason: 'full' | 'busy'; readonly retryAfterSeconds: number }

export type Admission = ReturnType<typeof createAdmission>

/**
 * The machine may become slower after the promise: on two cores with seven busy neighbours, an utterance took up to
 * twice as long half a minute later. A shorter queue costs no throughput, because workers are idle only when it is
 * empty.
 */
const promisedShare = 0.65
/** Share of the time until a deadline that promises and fair turns may use together. */
const turnsShare = 0.9
/** Promised share for keys that return when told to, so that a small estimation error does not refuse them again. */
const returningShare = 0.7
const newcomerShare = 1 / 6
/** A text is too long when its estimate exceeds its deadline by this factor, more than any estimation error. */
const tooLongFactor = 1.25
/** Work per worker that a key may always have waiting, so that no worker is idle because many keys were refused. */
const shareMinMs = 1_000
/** A refused key counts as sharing until this long after its retry time. */
const returnWithinMs = 5_000
/** The estimate of the retry time may be too short by this factor. */
const retryCaution = 1.1
const retrySecondsMax = 60

type AdmissionState = {
  readonly workers: number
  readonly horizonMs: number
  readonly nowMs: () => number
  /** Earliest deadline first. */
  readonly places: Place[]
  /** Retry times of refused keys. */
  readonly refused: Map<string, number>
}

/** `horizonMs`: the farthest time that is promised, unless a request says otherwise. */
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
  const state: AdmissionState = { workers, horizonMs, nowMs, places: [], refused: new Map() }
  const { places, refused } = state
  return {
    /** Earliest deadline first. */
    places: places as readonly Place[],

    /** Remaining worker milliseconds of all admitted requests. */
    get admittedMs(): number {
      return sum(places.map(({ work }) => work.leftMs()))
    },

    /** The usual deadline, or a later one that promises the work behind as much other work. */
    deadlineFor(work: Work, { usualAtMs, latestAtMs }: { usualAtMs: number; latestAtMs: number }): number {
      const neededMs = (2 * aloneMs(state, work)) / promisedShare
      return Math.max(usualAtMs, Math.min(latestAtMs, nowMs() + neededMs))
    },

    admit(demand: Demand): Place | Refusal {
      forgetRefused(state)
      if (isTooLong(state, demand)) return { reason: 'too_long', share: shareInTime(state, demand) }
      if (places.length >= placesMax) return { reason: 'full', retryAfterSeconds: secondsUntilRoom(state) }
      const held = heldByKey(places)
      if (places.length > 0 && !(isAllowed(state, demand, held, 0) && delaysNoOther(state, demand))) {
        const retryAfterSeconds = secondsUntilAllowed(state, demand, held)
        refused.set(demand.key, nowMs() + retryAfterSeconds * 1000)
        return { reason: 'busy', retryAfterSeconds }
      }
      refused.delete(demand.key)
      return enter(state, demand)
    },
  }
}

function enter({ nowMs, places }: AdmissionState, { key, deadlineAtMs, work, isLong = false }: Demand): Place {
  const enteredAtMs = nowMs()
  const place: Place = {
    key,
    deadlineAtMs,
    turnsUntilMs: enteredAtMs + turnsShare * (deadlineAtMs - enteredAtMs),
    isLong,
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

/** Remaining worker milliseconds by key. */
function heldByKey(places: readonly Place[]): Map<string, number> {
  const held = new Map<string, number>()
  for (const { key, work } of places) held.set(key, (held.get(key) ?? 0) + work.leftMs())
  return held
}

function forgetRefused({ refused, nowMs }: AdmissionState): void {
  const now = nowMs()
  for (const [key, dueAtMs] of refused) if (dueAtMs + returnWithinMs < now) refused.delete(key)
}

/** Milliseconds until the work finishes on an idle machine. */
function aloneMs({ workers, nowMs }: AdmissionState, work: Work): number {
  return finishInMs(work, { workers, nowMs: nowMs(), beforeMs: 0, laneMs: 0 })
}

/** Whether the request misses its deadline even on an idle machine. */
function isTooLong(state: AdmissionState, { deadlineAtMs, work }: Demand): boolean {
  return aloneMs(state, work) > tooLongFactor * (deadlineAtMs - state.nowMs()) && work.isKnown()
}

/** The part of the work that an idle machine finishes before the deadline, 0 to 1. */
function shareInTime(state: AdmissionState, { deadlineAtMs, work }: Demand): number {
  const nowMs = state.nowMs()
  const readyInMs = Math.max(0, work.readyAtMs - nowMs)
  return Math.max(0, deadlineAtMs - nowMs - readyInMs) / (aloneMs(state, work) - readyInMs)
}

/** Whether `demand` may enter in `inMs`, if no other request comes and all keys are served equally. */
function isAllowed(state: AdmissionState, demand: Demand, held: ReadonlyMap<string, number>, inMs: number): boolean {
  const { workers, horizonMs, nowMs, refused } = state
  const { key, work } = demand
  const atMs = nowMs() + inMs
  const left = serve(held, workers * inMs)
  const total = sum(left.values())
  if (total === 0) return true
  const costMs = work.leftMs()
  const dueAtMs = refused.get(key)
  // A request in the future comes when it was told to.
  const isReturning = inMs > 0 || (dueAtMs !== undefined && dueAtMs <= atMs)
  const aheadMs = Math.min(demand.isLong ? Infinity : horizonMs, demand.deadlineAtMs - nowMs())
  const usableMs = (isReturning && inMs === 0 ? returningShare : promisedShare) * aheadMs
  // Long work with a later deadline runs behind it; `delaysNoOther` checks that there is time for both.
  const beforeMs = (total * workBeforeMs(state, demand.deadlineAtMs + inMs)) / sum(held.values())
  const finishMs = finishInMs(work, { workers, nowMs: atMs, beforeMs, laneMs: laneMs(state, work, inMs) })
  if (finishMs > usableMs) return false
  const own = left.get(key) ?? 0
  if (own === 0) return true
  const wanting = new Set([key, ...left.keys()])
  for (const [other, otherDueAtMs] of refused) if (otherDueAtMs + returnWithinMs > atMs) wanting.add(other)
  const shared = workers * usableMs * (1 - newcomerShare)
  const most = wanting.size === 1 ? shared : Math.max(shared / wanting.size, workers * shareMinMs)
  return own + costMs <= most && (isReturning || beforeMs + costMs <= shared)
}

/** Remaining worker milliseconds of all requests but long ones with a later deadline. */
function workBeforeMs({ places }: AdmissionState, deadlineAtMs: number): number {
  const isBefore = ({ isLong, deadlineAtMs: otherAtMs }: Place) => !isLong || otherAtMs <= deadlineAtMs
  return sum(places.map((place) => (isBefore(place) ? place.work.leftMs() : 0)))
}

/** Remaining worker milliseconds of the same lane. */
function laneMs({ places }: AdmissionState, { lane }: Work, inMs: number): number {
  if (!lane) return 0
  const all = sum(places.map(({ work }) => (work.lane?.name === lane.name ? work.leftMs() : 0)))
  return Math.max(0, all - lane.width * inMs)
}

/** Whether requests with later deadlines still finish in time when `demand` runs before them. */
function delaysNoOther({ workers, nowMs, places }: AdmissionState, demand: Demand): boolean {
  let beforeMs = demand.work.leftMs()
  for (const { deadlineAtMs, work } of places) {
    const finishMs = finishInMs(work, { workers, nowMs: nowMs(), beforeMs, laneMs: 0 })
    if (deadlineAtMs > demand.deadlineAtMs && finishMs > returningShare * (deadlineAtMs - nowMs())) return false
    beforeMs += work.leftMs()
  }
  return true
}

function secondsUntilAllowed(state: AdmissionState, demand: Demand, held: ReadonlyMap<string, number>): number {
  let [low, high] = [0, Math.ceil(sum(held.values()) / state.workers / 1000) + 1]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (isAllowed(state, demand, held, middle * 1000)) high = middle
    else low = middle
  }
  return toRetryAfter(high)
}

/** Seconds until the request with the least work left is done, at equal turns. */
function secondsUntilRoom({ places, workers }: AdmissionState): number {
  const least = Math.min(...places.map(({ work }) => work.leftMs()))
  return toRetryAfter((least * places.length) / workers / 1000)
}

/** Milliseconds until `work` finishes behind `beforeMs` of other work, `laneMs` of it in the same lane. */
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

/** Remaining work by key after `ms` of work served equally to all keys. Keys without work left are removed. */
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
