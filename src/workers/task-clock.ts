/** Times every task. The speeds learn from the time, and the task's request has less work left. */
import { limits } from '../config'
import { measureOf, soundMeasure } from './measures'
import type { Task } from './protocol'
import type { Measure, Speeds } from './speeds'
import type { RequestWork } from './work'
import type { WorkerProcess } from './worker-process'

export type TimedTask = { readonly task: Task; readonly work: RequestWork | undefined }

/** The end of one task, with the audio that it produced. */
export type TaskEnd = { readonly isDone: boolean; readonly chunks: readonly Int16Array[] }

/** Call it with the end of every task, in their order, or with none when their process was lost. */
export type StopClock = (ends: readonly TaskEnd[]) => void

/**
 * Tasks slow each other down, because they share caches, memory and perhaps a core: two workers on two cores do 1.9
 * times the work of one, and less on two threads of one core. A time measured while a worker was idle is learned with
 * this factor, because admission assumes that all workers are busy.
 */
export const crowding = 1.25

/**
 * A task that takes this many times the expected time counts as hung. On two cores with sixteen busy neighbours, a
 * sentence of Kokoro took more than four times as long as by its probe.
 */
const hungFactor = 8

const lost: TaskEnd = { isDone: false, chunks: [] }

export type TaskClock = ReturnType<typeof createTaskClock>

export function createTaskClock(speeds: Speeds, workers: number) {
  let running = 0
  /** Families that each process has run. The first task also loads the engine or encoder; its time is not learned. */
  const loaded = new WeakMap<WorkerProcess, Set<string>>()

  function isFirst(worker: WorkerProcess, { family }: Measure): boolean {
    const families = loaded.get(worker) ?? new Set()
    const isNew = !families.has(family)
    loaded.set(worker, families.add(family))
    return isNew
  }

  function noteSound({ task, work }: TimedTask, chunks: readonly Int16Array[]): void {
    if (task.kind === 'encode') work?.encoded(task.samples.length / task.sampleRate)
    if (task.kind !== 'synthesize') return
    const seconds = chunks.reduce((frames, { length }) => frames + length, 0) / task.sampleRate
    const sound = soundMeasure(task.voice, task.text.length)
    if (task.text !== '') speeds.learn(sound, seconds * task.speed)
    work?.spoken(sound, seconds)
  }

  return {
    /** Time after which the tasks of one run count as hung: `usualMs`, or more for a voice that is known to be slow. */
    timeoutMs(tasks: readonly Task[], usualMs: number): number {
      const expectedMs = tasks.reduce((sum, task) => sum + expectedOf(measureOf(task)), 0)
      return Math.max(usualMs, Math.min(limits.taskTimeoutMaxMs, hungFactor * expectedMs))
    },

    /** Starts timing `tasks` on `worker`; several tasks form one batch. */
    start(worker: WorkerProcess, tasks: readonly TimedTask[]): StopClock {
      const startedAtMs = performance.now()
      const factor = ++running < workers ? crowding : 1
      const measured = tasks.map((timed) => ({ ...timed, measure: measureOf(timed.task) }))
      for (const { measure, work } of measured) if (measure) work?.begin(measure)
      return (ends) => {
        running--
        const tookMs = factor * (performance.now() - startedAtMs)
        const expectedMs = measured.reduce((sum, { measure }) => sum + expectedOf(measure), 0)
        for (const [item, timed] of measured.entries()) {
          const { isDone, chunks } = ends[item] ?? lost
          const { measure, work, task } = timed
          if (measure) work?.end(measure, isDone)
          if (!isDone) continue
          noteSound(timed, chunks)
          const isFault = task.kind === 'synthesize' && task.fault !== undefined
          if (measure && !isFault && !isFirst(worker, measure))
            speeds.learn(measure, tasks.length === 1 ? tookMs : (tookMs * expectedOf(measure)) / expectedMs)
        }
      }
    },
  }

  function expectedOf(measure: Measure | undefined): number {
    return measure ? speeds.expected(measure) : 0
  }
}
