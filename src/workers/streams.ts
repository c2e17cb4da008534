/** Sound that is encoded chunk by chunk, each stream in one worker, and what happens when that worker is lost. */
import type { Answer, EncodeTask } from './protocol'
import { succeeded } from './task-failed'
import { WorkerGone, type TaskResult, type WorkerProcess } from './worker-process'

export type EncodedPortion = Extract<Answer, { ok: true }>
export type EncodeStream = { append(samples: Int16Array, last: boolean): Promise<EncodedPortion> }

/** How a stream's tasks reach their worker. */
export type PlaceEncoding = {
  /** In `worker` or, without one, in any, of which `onStart` tells. */
  encode(
    task: EncodeTask,
    worker: WorkerProcess | undefined,
    onStart: (worker: WorkerProcess) => void,
  ): Promise<TaskResult>
  abandon(stream: number, worker: WorkerProcess): void
}

/** A stream whose workers keep dying is given up. */
const streamLossesMax = 5
/** What all streams together keep of their samples, to be encoded again; a stream beyond it is lost with its worker. */
const historyBytesMax = 128 << 20

/** All streams of a scheduler. */
export function createStreams() {
  let streams = 0
  let historyBytes = 0

  /**
   * An mp3 stream lives in one worker. If that worker goes, for another request's sake, the stream is encoded again
   * from the start in another one, and what had already been handed out is cut off: the encoder is deterministic.
   */
  return function openStream(place: PlaceEncoding, sampleRate: number): EncodeStream & { abandon(): void } {
    const history: Int16Array[] = []
    let home: WorkerProcess | undefined
    let id = 0
    let emittedBytes = 0
    let keptBytes = 0
    let canReplay = true

    function run(samples: Int16Array, last: boolean): Promise<TaskResult> {
      const onStart = (worker: WorkerProcess) => {
        home = worker
        worker.streams.add(id)
      }
      const task: EncodeTask = { kind: 'encode', stream: id, sampleRate, samples, last }
      return place.encode(task, home, onStart)
    }

    function remember(samples: Int16Array): void {
      history.push(samples)
      keptBytes += samples.byteLength
      historyBytes += samples.byteLength
      if (historyBytes > historyBytesMax && home) forget()
    }

    function forget(): void {
      historyBytes -= keptBytes
      keptBytes = 0
      history.length = 0
      canReplay = false
    }

    async function replay(last: boolean): Promise<EncodedPortion> {
      id = ++streams
      const bodies: Uint8Array[] = []
      let answer!: EncodedPortion
      for (const [i, samples] of history.entries()) {
        answer = succeeded(await run(samples, last && i === history.length - 1))
        bodies.push(answer.bytes!)
      }
      return { ...answer, bytes: Buffer.concat(bodies).subarray(emittedBytes) }
    }

    async function encodeSurely(samples: Int16Array, last: boolean): Promise<EncodedPortion> {
      for (let losses = 0; ; losses++) {
        try {
          return home ? succeeded(await run(samples, last)) : await replay(last)
        } catch (error) {
          const lost = error instanceof WorkerGone && error.isFailure
          if (!lost || !canReplay || losses === streamLossesMax) throw error
          home = undefined
        }
      }
    }

    return {
      async append(samples, last) {
        remember(samples)
        const answer = await encodeSurely(samples, last)
        if (last) home!.streams.delete(id)
        emittedBytes += answer.bytes!.length
        return answer
      },
      abandon() {
        forget()
        if (!home?.streams.delete(id) || home.gone) return
        place.abandon(id, home)
      },
    }
  }
}
