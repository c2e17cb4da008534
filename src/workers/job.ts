/** What the scheduler does for one request: its tasks, and its end. */
import type { Enrolment } from '../cloning/adapt/enrol'
import type { VoiceStatistics } from '../cloning/adapt/measure'
import type { Place } from './admission'
import type { TimedWord } from '../speech/engine'
import type { EnrolTask, Analyzed, AnalyzeTask, MeasureTask, Recording, SynthesizeTask } from './protocol'
import type { EncodeStream } from './streams'
import type { RequestWork } from './work'

/** The job was ended before this task began. */
export class JobEnded extends Error {
  override readonly name = 'JobEnded'
}

export type JobOptions = {
  /** Jobs of one key share its turns; by convention the API key's id. */
  readonly key: string
  /** Background jobs run only while nobody waits. */
  readonly background: boolean
  /** Of one that was let in; its turns may come by its deadline. */
  readonly place?: Place
  /** What is left to do of it, which its tasks make less. */
  readonly work?: RequestWork
}

export type Sound = {
  readonly chunks: readonly Int16Array[]
  /** Where the engine tells. */
  readonly words: readonly TimedWord[] | undefined
}

export type Job = {
  /** Whether any task of it has started. */
  readonly begun: boolean
  /** When its first task started, by `performance.now()`. */
  readonly begunAtMs: number | undefined
  synthesize(task: SynthesizeTask): Promise<Sound>
  /** Makes a voice from a recording, in its turn like synthesis. */
  enrol(task: EnrolTask): Promise<Enrolment>
  /** Lets a voice speak and measures it, in its turn too. */
  measure(task: MeasureTask): Promise<VoiceStatistics>
  /** Decodes a recording and looks at it, in its turn too. */
  analyze(task: AnalyzeTask): Promise<{ recording: Recording } | Extract<Analyzed, { refusal: unknown }>>
  openStream(sampleRate: number): EncodeStream
  /** Rejects what is not done yet with `JobEnded`, whether it waits or runs, and lets go of open streams. */
  end(): void
}
