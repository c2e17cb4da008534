/** Streams of audio encoded chunk by chunk, each in one worker, and their recovery when that worker is lost. */
import type { EncodedChunk, Task, TaskResult } from './protocol'
import { succeeded } from './task-failed'
import { WorkerGone, type WorkerProcess } from './worker-process'

export type EncodeStream = { readonly append: (samples: Int16Array, last: boolean) => Promise<EncodedChunk> }

export type OpenStream = ReturnType<typeof createStreams>

/** Sends a stream's tasks to their worker. */
export type PlaceEncoding = {
  /** Runs in `worker`, or in any worker when undefined; `onStart` reports which one. */
  encode(
    task: Task<'encode'>,
    worker: WorkerProcess | undefined,
    onStart: (worker: WorkerProcess) => void,
  ): Promise<TaskResult<'encode'>>
  abandon(stream: number, worker: WorkerProcess): void
}

/** A stream fails after it has lost this many workers. */
const streamLossesMax = 5
/** Samples that all streams together keep for a replay. A stream beyond the limit fails when its worker is lost. */
const historyBytesMax = 128 << 20

/** All streams of a scheduler. */
export function createStreams() {
  let streams = 0
  let historyBytes = 0

  /**
   * An MP3 stream lives in one worker. When another request ends that worker, a new worker encodes the stream again
   * from the start, and the bytes already emitted are cut off. This works because the encoder is deterministic.
   */
  return function openStream(place: PlaceEncoding, sampleRate: number): EncodeStream & { abandon(): void } {
    const history: Int16Array[] = []
    let home: WorkerProcess | undefined
    let id = 0
    let emittedBytes = 0
    let keptBytes = 0
    let canReplay = true

    function run(samples: Int16Array, last: boolean): Promise<TaskResult<'encode'>> {
      const onStart = (worker: WorkerProcess) => {
        home = worker
        worker.streams.add(id)
      }
      const task: Task<'encode'> = { kind: 'encode', stream: id, sampleRate, samples, last }
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

    async function replay(last: boolean): Promise<EncodedChunk> {
      id = ++streams
      const chunks: EncodedChunk[] = []
      for (const [i, samples] of history.entries())
        chunks.push(succeeded(await run(samples, last && i === history.length - 1)))
      const bytes = Buffer.concat(chunks.map((chunk) => chunk.bytes))
      return { ...chunks.at(-1)!, bytes: bytes.subarray(emittedBytes) }
    }

    async function encodeSurely(samples: Int16Array, last: boolean): Promise<EncodedChunk> {
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
        emittedBytes += answer.bytes.length
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
