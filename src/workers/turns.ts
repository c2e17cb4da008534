/**
 * Decides which admitted request runs next: fair turns while there is time, earliest deadline first where fair turns
 * would make a request late. When the machine becomes slower than measured and not all can meet their deadlines, the
 * plan postpones the request with the most work left (Moore 1968), so that as many as possible finish in time.
 */
import { finishInMs, type Admission, type Place } from './admission'
import type { FairQueue, Queued } from './fair-queue'

/** Estimates of the remaining work may be too low by this factor. */
const caution = 1.15

type TurnPlan = {
  /** Served before all others, in this order. */
  readonly urgent: readonly Place[]
  /** Served after all others. */
  readonly late: ReadonlySet<Place>
}

/** `places` are sorted by deadline, earliest first. */
export function planTurns(
  places: readonly Place[],
  { workers, nowMs }: { readonly workers: number; readonly nowMs: number },
): TurnPlan {
  const late = new Set<Place>()
  let kept: { place: Place; leftMs: number }[] = []
  let keptMs = 0
  for (const place of places) {
    const leftMs = place.work.leftMs()
    const finishMs = finishInMs(place.work, { workers, nowMs, beforeMs: keptMs, laneMs: 0 })
    kept.push({ place, leftMs })
    keptMs += leftMs
    if (nowMs + finishMs <= place.deadlineAtMs) continue
    const most = kept.reduce((a, b) => (b.leftMs > a.leftMs ? b : a))
    kept = kept.filter((one) => one !== most)
    keptMs -= most.leftMs
    late.add(most.place)
  }
  // A running task cannot be preempted.
  const turnMs = Math.max(0, ...kept.map(({ place }) => place.work.chainMs()))
  let urgentCount = 0
  let beforeMs = 0
  for (const [index, { place, leftMs }] of kept.entries()) {
    const finishMs = finishInMs(place.work, { workers, nowMs, beforeMs, laneMs: 0 })
    if (nowMs + caution * finishMs + turnMs > place.turnsUntilMs) urgentCount = index + 1
    beforeMs += leftMs
  }
  return { urgent: kept.slice(0, urgentCount).map(({ place }) => place), late }
}

/** A queue entry. Without a place it only gets its fair turns. */
type Placed = { readonly job: { readonly place?: Place } }

/** Removes and returns the next task of `queue` that fits. */
export function takeNext<T extends Placed>(
  queue: FairQueue<T>,
  admission: Pick<Admission, 'places'>,
  { workers, nowMs, fits }: { workers: number; nowMs: number; fits: (task: T) => boolean },
): Queued<T> | undefined {
  if (queue.size === 0) return undefined
  const { urgent, late } = planTurns(admission.places, { workers, nowMs })
  for (const place of urgent) {
    const entry = queue.takeOf(place.key, (task) => task.job.place === place && fits(task))
    if (entry) return entry
  }
  const isInTime = ({ job: { place } }: T) => place === undefined || !late.has(place)
  return (late.size > 0 ? queue.take((task) => isInTime(task) && fits(task)) : undefined) ?? queue.take(fits)
}
