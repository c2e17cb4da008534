/**
 * The fair queue of synthesis tasks. Keys take turns, and the jobs of a key take turns, so a short text waits for at
 * most one utterance of a long one. Turns are counted in characters (stride scheduling, Waldspurger and Weihl 1995).
 * A key's share grows with the square root of its waiting jobs: one busy customer cannot crowd out the others, and a
 * single long text cannot take half of the machine from a customer with sixty short ones.
 */

export type Queued<T> = { readonly key: string; readonly job: object; readonly cost: number; readonly task: T }

type Lane<T> = { pass: number; readonly jobs: Map<object, Queued<T>[]> }

export type FairQueue<T> = ReturnType<typeof createFairQueue<T>>

export function createFairQueue<T>() {
  const lanes = new Map<string, Lane<T>>()
  /** Passes of keys that have no waiting task and are ahead of their share. */
  const debts = new Map<string, number>()
  let virtualTime = 0
  let size = 0
  let cost = 0

  function nextKey(): string | undefined {
    let best: string | undefined
    let bestPass = Infinity
    for (const [key, lane] of lanes) {
      if (lane.pass >= bestPass) continue
      best = key
      bestPass = lane.pass
    }
    return best
  }

  /** The next job in turn whose first waiting task fits. */
  function nextJob(fits: (task: T) => boolean): { key: string; job: object } | undefined {
    const tried = new Set<string>()
    const find = (key: string) => {
      tried.add(key)
      for (const [job, waiting] of lanes.get(key)!.jobs) if (fits(waiting[0]!.task)) return { key, job }
      return undefined
    }
    const first = nextKey()
    const found = first === undefined ? undefined : find(first)
    if (found) return found
    for (const [key] of [...lanes].sort(([, a], [, b]) => a.pass - b.pass)) {
      const later = tried.has(key) ? undefined : find(key)
      if (later) return later
    }
    return undefined
  }

  function closeIfEmpty(key: string, lane: Lane<T>): void {
    if (lane.jobs.size > 0) return
    lanes.delete(key)
    if (size === 0) debts.clear()
    else if (lane.pass > virtualTime) debts.set(key, lane.pass)
  }

  function open(key: string): Lane<T> {
    const lane = { pass: Math.max(virtualTime, debts.get(key) ?? 0), jobs: new Map<object, Queued<T>[]>() }
    debts.delete(key)
    lanes.set(key, lane)
    return lane
  }

  function remove(key: string, job: object): Queued<T> {
    const lane = lanes.get(key)!
    const waiting = lane.jobs.get(job)!
    const entry = waiting.shift()!
    lane.pass += entry.cost / Math.sqrt(lane.jobs.size)
    size--
    cost -= entry.cost
    lane.jobs.delete(job)
    // The job goes to the end of the line, so another job of this key gets the next turn.
    if (waiting.length > 0) lane.jobs.set(job, waiting)
    closeIfEmpty(key, lane)
    return entry
  }

  return {
    get size() {
      return size
    },

    /** Total cost of the waiting tasks. */
    get cost() {
      return cost
    },

    push(entry: Queued<T>): void {
      const lane = lanes.get(entry.key) ?? open(entry.key)
      const waiting = lane.jobs.get(entry.job)
      if (waiting) waiting.push(entry)
      else lane.jobs.set(entry.job, [entry])
      size++
      cost += entry.cost
    },

    /** Removes and returns the next task in turn that fits. */
    take(fits: (task: T) => boolean = () => true): Queued<T> | undefined {
      const next = nextJob(fits)
      if (!next) return undefined
      virtualTime = Math.max(virtualTime, lanes.get(next.key)!.pass)
      return remove(next.key, next.job)
    },

    /** Takes a task of `key` out of turn. The key pays with later turns; other keys get no earlier ones. */
    takeOf(key: string, fits: (task: T) => boolean): Queued<T> | undefined {
      for (const [job, waiting] of lanes.get(key)?.jobs ?? []) if (fits(waiting[0]!.task)) return remove(key, job)
      return undefined
    },

    /** Removes and returns all waiting tasks of a job. */
    drop(key: string, job: object): Queued<T>[] {
      const lane = lanes.get(key)
      const waiting = lane?.jobs.get(job)
      if (!lane || !waiting) return []
      size -= waiting.length
      for (const entry of waiting) cost -= entry.cost
      lane.jobs.delete(job)
      closeIfEmpty(key, lane)
      return waiting
    },
  }
}
