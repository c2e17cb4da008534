/** The remaining work of a request, estimated from measured speeds. It shrinks as tasks end. */
import { encodeMeasure } from './measures'
import type { Measure, Speeds } from './speeds'
import type { StreamFormat } from './streams'

export type Work = {
  /** Remaining worker milliseconds. */
  leftMs(): number
  /** The part of `leftMs` that more workers cannot shorten. */
  chainMs(): number
  /** Expected time at which the model is loaded; in the past once it is. */
  readonly readyAtMs: number
  /** At most `width` processes can run all work of lane `name` at once. */
  readonly lane: { readonly name: string; readonly width: number } | undefined
  /** Whether its speed was measured, by a probe or lately by requests, so that it may be refused as too long. */
  isKnown(): boolean
}

/** An utterance: the cost of its synthesis and the length of its audio. */
export type WorkPart = { readonly task: Measure; readonly sound?: Measure }

type Sum = Measure & { readonly count: number }

export type RequestWork = ReturnType<typeof createWork>

/** `encode`: the stream that receives all audio; undefined when no worker encodes. Tests replace `nowMs`. */
export function createWork(
  speeds: Speeds,
  {
    parts,
    encode,
    readyAtMs = 0,
    lane,
    nowMs = () => performance.now(),
  }: {
    parts: readonly WorkPart[]
    encode?: StreamFormat & { readonly speed: number }
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
  /** Seconds of audio synthesized but not encoded yet. */
  let spokenSeconds = 0

  function encodeMs(): number {
    if (!encode) return 0
    const { fixed, each } = speeds.lineOf(encodeMeasure(encode, 0))
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
    isKnown: () => [...tasks.values()].every(({ name, prior }) => prior !== undefined || speeds.isKnown(name)),

    /** A worker begins a task of this measure. */
    begin(measure: Measure): void {
      running.set(measure, nowMs())
    },

    /** The task is over. Unless `isDone`, it will run again and stays part of the work. */
    end(measure: Measure, isDone: boolean): void {
      running.delete(measure)
      if (isDone) take(tasks, measure)
    },

    /** A task has produced `seconds` of audio. */
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
  for (const measure of measures) {
    const { name, size } = measure
    const { size: before = 0, count = 0 } = sums.get(name) ?? {}
    sums.set(name, { ...measure, size: before + size, count: count + 1 })
  }
  return sums
}

/** Subtracts by size, because a text that a voice does not speak is retried in smaller parts. */
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
