/** A job: the tasks that the scheduler runs for one request. */
import type { Enrolment } from '../cloning/adapt/enrol'
import type { VoiceStatistics } from '../cloning/adapt/measure'
import type { Place } from './admission'
import type { TimedWord } from '../speech/engine'
import type { Recording, RefusedRecording, SynthesizeTask, Task } from './protocol'
import type { EncodeStream, StreamFormat } from './streams'
import type { RequestWork } from './work'

/** The job ended before this task was done. */
export class JobEnded extends Error {
  override readonly name = 'JobEnded'
}

export type JobOptions = {
  /** Jobs of one key share its turns. By convention the API key's id. */
  readonly key: string
  /** Background jobs run only while no foreground task waits. */
  readonly background: boolean
  /** Place of an admitted request. Its deadline decides when its turns come early. */
  readonly place?: Place
  /** Remaining work, which its tasks reduce. */
  readonly work?: RequestWork
}

export type Sound = {
  readonly chunks: readonly Int16Array[]
  /** Undefined when the engine reports no word times. */
  readonly words: readonly TimedWord[] | undefined
}

export type Job = {
  /** Whether any task of it has started. */
  readonly begun: boolean
  /** Start of its first task, in `performance.now()` milliseconds. */
  readonly begunAtMs: number | undefined
  synthesize(task: SynthesizeTask): Promise<Sound>
  /** Makes a voice from a recording. Waits for its turn like synthesis. */
  enrol(task: Task<'enrol'>): Promise<Enrolment>
  /** Synthesizes a text with the voice and measures the result. Waits for its turn. */
  measure(task: Task<'measure'>): Promise<VoiceStatistics>
  /** Decodes and analyzes a recording. Waits for its turn. */
  analyze(task: Task<'analyze'>): Promise<{ readonly recording: Recording } | RefusedRecording>
  openStream(format: StreamFormat): EncodeStream
  /** Rejects waiting and running tasks with `JobEnded`, and abandons open streams. */
  end(): void
}
