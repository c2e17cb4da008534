/** Takes the time of every task: the speeds learn from it, and the request that it was for has less left to do. */
import { measureOf, soundMeasure } from './measures'
import type { Task } from './protocol'
import type { Measure, Speeds } from './speeds'
import type { RequestWork } from './work'
import type { TaskResult, WorkerProcess } from './worker-process'

type Timed = { readonly task: Task; readonly work: RequestWork | undefined }

/** To be called when the tasks are over, with what came of them, or undefined when their process was lost. */
type Stop = (result: TaskResult | undefined) => void

export type TaskClock = ReturnType<typeof createTaskClock>

export function createTaskClock(speeds: Speeds) {
  /** A process loads an engine or an encoder with the first task for it, which tells nothing of the speed. */
  const loaded = new WeakMap<WorkerProcess, Set<string>>()

  function isFirst(worker: WorkerProcess, { family }: Measure): boolean {
    const families = loaded.get(worker) ?? new Set()
    const isNew = !families.has(family)
    loaded.set(worker, families.add(family))
    return isNew
  }

  function noteSound({ task, work }: Timed, chunks: readonly Int16Array[]): void {
    if (task.kind === 'encode') work?.encoded(task.samples.length / task.sampleRate)
    if (task.kind !== 'synthesize') return
    const seconds = chunks.reduce((frames, { length }) => frames + length, 0) / task.sampleRate
    const sound = soundMeasure(task.voice, task.text.length)
    if (task.text !== '') speeds.learn(sound, seconds * task.speed)
    work?.spoken(sound, seconds)
  }

  return {
    /** The tasks begin together on `worker`, in one batch if they are several. */
    start(worker: WorkerProcess, tasks: readonly Timed[]): Stop {
      const startedAtMs = performance.now()
      const measured = tasks.map((timed) => ({ ...timed, measure: measureOf(timed.task) }))
      for (const { measure, work } of measured) if (measure) work?.begin(measure)
      return (result) => {
        const tookMs = performance.now() - startedAtMs
        const answers = result?.answer.ok ? (result.answer.items ?? [result.answer]) : []
        const expectedMs = measured.reduce((sum, { measure }) => sum + expectedOf(measure), 0)
        for (const [item, timed] of measured.entries()) {
          const isDone = answers[item]?.ok === true
          const { measure, work, task } = timed
          if (measure) work?.end(measure, isDone)
          if (!isDone) continue
          noteSound(timed, result!.chunks[item] ?? [])
          const isFault = task.kind === 'synthesize' && task.fault !== undefined
          if (measure && !isFault && !isFirst(worker, measure))
            speeds.learn(measure, (tookMs * expectedOf(measure)) / expectedMs)
        }
      }
    },
  }

  function expectedOf(measure: Measure | undefined): number {
    return measure ? speeds.expected(measure) : 0
  }
}
