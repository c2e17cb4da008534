/** What a request still has to be done for it, at the speed that was measured. It shrinks as its tasks end. */
import { encodeMeasure } from './measures'
import type { Measure, Speeds } from './speeds'

export type Work = {
  /** Of workers, milliseconds in all. */
  leftMs(): number
  /** Of that, what takes its time however many workers there are. */
  chainMs(): number
  /** When the model is expected to be loaded; in the past once it is. */
  readonly readyAtMs: number
  /** At most so many processes can work on it at once, together with all other work of that name. */
  readonly lane: { readonly name: string; readonly width: number } | undefined
  /** Whether its speed was measured, so that it may be said to be too much. */
  isKnown(): boolean
}

/** Of an utterance: what it takes to speak it, and how many seconds it will be. */
export type Part = { readonly task: Measure; readonly sound?: Measure }

type Sum = Measure & { readonly count: number }

export type RequestWork = ReturnType<typeof createWork>

/** `encode`: the stream that all sound goes to; undefined where no worker encodes. `nowMs`: for tests. */
export function createWork(
  speeds: Speeds,
  {
    parts,
    encode,
    readyAtMs = 0,
    lane,
    nowMs = () => performance.now(),
  }: {
    parts: readonly Part[]
    encode?: { readonly sampleRate: number; readonly speed: number }
    readyAtMs?: number
    lane?: Work['lane']
    nowMs?: () => number
  },
) {
  const tasks = sumUp(parts.map(({ task }) => task))
  const sounds = sumUp(parts.flatMap(({ sound }) => sound ?? []))
  const longest = parts.reduce<Measure | undefined>((most, { task }) => {
    return most && speeds.expected(most) >= speeds.expected(task) ? most : task
  }, undefined)
  const running = new Map<Measure, number>()
  /** Of sound that was spoken and not encoded yet. */
  let spokenSeconds = 0

  function encodeMs(): number {
    if (!encode) return 0
    const { fixed, each } = speeds.lineOf(encodeMeasure(encode.sampleRate, 0))
    const { total, count } = expectedOf(speeds, sounds)
    return count * fixed + each * (total / encode.speed + spokenSeconds)
  }

  function doneMs(): number {
    let sum = 0
    for (const [measure, startedAtMs] of running) sum += Math.min(nowMs() - startedAtMs, speeds.expected(measure))
    return sum
  }

  return {
    readyAtMs,
    lane,
    leftMs: () => Math.max(0, expectedOf(speeds, tasks).total + encodeMs() - doneMs()),
    chainMs: () => (longest && tasks.size > 0 ? speeds.expected(longest) : 0) + encodeMs(),
    isKnown: () => [...tasks.keys()].every((name) => speeds.isKnown(name)),

    /** A worker begins with a task of that measure. */
    begin(measure: Measure): void {
      running.set(measure, nowMs())
    },

    /** That task is over; one that was not done is to be done again. */
    end(measure: Measure, isDone: boolean): void {
      running.delete(measure)
      if (isDone) take(tasks, measure)
    },

    /** Of one task there is sound now. */
    spoken(sound: Measure, seconds: number): void {
      take(sounds, sound)
      if (encode) spokenSeconds += seconds
    },

    encoded(seconds: number): void {
      spokenSeconds = Math.max(0, spokenSeconds - seconds)
    },
  }
}

function sumUp(measures: readonly Measure[]): Map<string, Sum> {
  const sums = new Map<string, Sum>()
  for (const { name, family, size } of measures) {
    const { size: before = 0, count = 0 } = sums.get(name) ?? {}
    sums.set(name, { name, family, size: before + size, count: count + 1 })
  }
  return sums
}

/** By size: what a voice does not say is said again in smaller parts. */
function take(sums: Map<string, Sum>, { name, size }: Measure): void {
  const sum = sums.get(name)
  if (!sum) return
  const left = sum.size - size
  if (left < 0.5) sums.delete(name)
  else sums.set(name, { ...sum, size: left, count: Math.max(1, sum.count - 1) })
}

function expectedOf(speeds: Speeds, sums: ReadonlyMap<string, Sum>): { total: number; count: number } {
  let [total, count] = [0, 0]
  for (const sum of sums.values()) {
    const { fixed, each } = speeds.lineOf(sum)
    total += fixed * sum.count + each * sum.size
    count += sum.count
  }
  return { total, count }
}
