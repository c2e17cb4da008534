/**
 * The fair queue of synthesis tasks. Keys take turns, and the jobs of a key take turns, so a short text waits for at
 * most one utterance of a long one. Turns are counted in characters (stride scheduling, Waldspurger and Weihl 1995).
 * A key's share grows with the square root of its waiting jobs: one busy customer cannot crowd out the others, and a
 * single long text cannot take half of the machine from a customer with sixty short ones.
 */

export type Queued<T> = { readonly key: string; readonly job: object; readonly cost: number; readonly task: T }

type Lane<T> = { pass: number; readonly jobs: Map<object, Queued<T>[]> }

type QueueState<T> = {
  /** Keys with waiting tasks. */
  readonly lanes: Map<string, Lane<T>>
  /** Passes of keys that have no waiting task and are ahead of their share. */
  readonly debts: Map<string, number>
  virtualTime: number
  size: number
  cost: number
}

export type FairQueue<T> = ReturnType<typeof createFairQueue<T>>

export function createFairQueue<T>() {
  const queue: QueueState<T> = { lanes: new Map(), debts: new Map(), virtualTime: 0, size: 0, cost: 0 }
  const { lanes } = queue
  return {
    get size() {
      return queue.size
    },

    /** Total cost of the waiting tasks. */
    get cost() {
      return queue.cost
    },

    push(entry: Queued<T>): void {
      const lane = lanes.get(entry.key) ?? openLane(queue, entry.key)
      const waiting = lane.jobs.get(entry.job)
      if (waiting) waiting.push(entry)
      else lane.jobs.set(entry.job, [entry])
      queue.size++
      queue.cost += entry.cost
    },

    /** Removes and returns the next task in turn that fits. */
    take(fits: (task: T) => boolean = () => true): Queued<T> | undefined {
      const next = nextJob(queue, fits)
      if (!next) return undefined
      queue.virtualTime = Math.max(queue.virtualTime, lanes.get(next.key)!.pass)
      return removeFirst(queue, next.key, next.job)
    },

    /** Takes a task of `key` out of turn. The key pays with later turns; other keys get no earlier ones. */
    takeOf(key: string, fits: (task: T) => boolean): Queued<T> | undefined {
      const job = firstThatFits(queue, key, fits)
      return job && removeFirst(queue, key, job)
    },

    /** Removes and returns all waiting tasks of a job. */
    drop(key: string, job: object): Queued<T>[] {
      const lane = lanes.get(key)
      const waiting = lane?.jobs.get(job)
      if (!lane || !waiting) return []
      queue.size -= waiting.length
      for (const entry of waiting) queue.cost -= entry.cost
      lane.jobs.delete(job)
      closeIfEmpty(queue, key, lane)
      return waiting
    },
  }
}

function openLane<T>({ lanes, debts, virtualTime }: QueueState<T>, key: string): Lane<T> {
  const lane = { pass: Math.max(virtualTime, debts.get(key) ?? 0), jobs: new Map<object, Queued<T>[]>() }
  debts.delete(key)
  lanes.set(key, lane)
  return lane
}

function closeIfEmpty<T>({ lanes, debts, size, virtualTime }: QueueState<T>, key: string, lane: Lane<T>): void {
  if (lane.jobs.size > 0) return
  lanes.delete(key)
  if (size === 0) debts.clear()
  else if (lane.pass > virtualTime) debts.set(key, lane.pass)
}

/** The next job in turn whose first waiting task fits. */
function nextJob<T>(
  queue: QueueState<T>,
  fits: (task: T) => boolean,
): { readonly key: string; readonly job: object } | undefined {
  const first = nextKey(queue)
  if (first === undefined) return undefined
  const job = firstThatFits(queue, first, fits)
  if (job) return { key: first, job }
  for (const [key] of [...queue.lanes].sort(([, a], [, b]) => a.pass - b.pass)) {
    const later = key === first ? undefined : firstThatFits(queue, key, fits)
    if (later) return { key, job: later }
  }
  return undefined
}

/** The key with the lowest pass, without sorting: usually its task fits. */
function nextKey<T>({ lanes }: QueueState<T>): string | undefined {
  let best: string | undefined
  let bestPass = Infinity
  for (const [key, lane] of lanes) {
    if (lane.pass >= bestPass) continue
    best = key
    bestPass = lane.pass
  }
  return best
}

/** The first job of the key whose first waiting task fits. */
function firstThatFits<T>({ lanes }: QueueState<T>, key: string, fits: (task: T) => boolean): object | undefined {
  for (const [job, waiting] of lanes.get(key)?.jobs ?? []) if (fits(waiting[0]!.task)) return job
  return undefined
}

/** Removes the first waiting task of the job, for which its key pays. */
function removeFirst<T>(queue: QueueState<T>, key: string, job: object): Queued<T> {
  const lane = queue.lanes.get(key)!
  const waiting = lane.jobs.get(job)!
  const entry = waiting.shift()!
  lane.pass += entry.cost / Math.sqrt(lane.jobs.size)
  queue.size--
  queue.cost -= entry.cost
  lane.jobs.delete(job)
  // The job goes to the end of the line, so another job of this key gets the next turn.
  if (waiting.length > 0) lane.jobs.set(job, waiting)
  closeIfEmpty(queue, key, lane)
  return entry
}
