/** Streams of audio encoded chunk by chunk, each in one worker, and their recovery when that worker is lost. */
import type { CodedFormat } from '../audio/encode/encoder'
import type { EncodedChunk, Task, TaskResult } from './protocol'
import { succeeded } from './task-failed'
import { WorkerGone, type WorkerProcess } from './worker-process'

export type EncodeStream = { readonly append: (samples: Int16Array, last: boolean) => Promise<EncodedChunk> }

/** The format of a stream, and the sample rate of its samples in Hz. */
export type StreamFormat = { readonly format: CodedFormat; readonly sampleRate: number }

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

/** Workers that a stream may lose. */
const streamLossesMax = 5
/** Samples that all streams together keep for a replay. A stream beyond the limit fails when its worker is lost. */
const historyBytesMax = 128 << 20

/** State of all streams of a scheduler. */
type StreamsState = {
  /** Number of the last opened stream. */
  lastId: number
  /** Samples that are kept for replays. */
  historyBytes: number
}

type StreamState = {
  readonly streams: StreamsState
  readonly place: PlaceEncoding
  readonly format: StreamFormat
  /** All samples so far, unless they were forgotten. */
  readonly history: Int16Array[]
  keptBytes: number
  canReplay: boolean
  /** The worker that has the stream, and its number there. */
  home: WorkerProcess | undefined
  id: number
  emittedBytes: number
}

/**
 * All streams of a scheduler. A stream lives in one worker. When another request ends that worker, a new worker
 * encodes the stream again from the start, and the bytes already emitted are cut off. This works because the encoder is
 * deterministic.
 */
export function createStreams() {
  const streams: StreamsState = { lastId: 0, historyBytes: 0 }

  return function openStream(place: PlaceEncoding, format: StreamFormat): EncodeStream & { abandon(): void } {
    const stream: StreamState = {
      ...{ streams, place, format, history: [], keptBytes: 0, canReplay: true },
      ...{ home: undefined, id: 0, emittedBytes: 0 },
    }
    return {
      append: (samples, last) => append(stream, samples, last),
      abandon() {
        forget(stream)
        const { home, id } = stream
        if (home?.streams.delete(id) && !home.gone) place.abandon(id, home)
      },
    }
  }
}

async function append(stream: StreamState, samples: Int16Array, last: boolean): Promise<EncodedChunk> {
  remember(stream, samples)
  const chunk = await encodeSurely(stream, samples, last)
  if (last) stream.home?.streams.delete(stream.id)
  stream.emittedBytes += chunk.bytes.length
  return chunk
}

function remember(stream: StreamState, samples: Int16Array): void {
  const { streams } = stream
  stream.history.push(samples)
  stream.keptBytes += samples.byteLength
  streams.historyBytes += samples.byteLength
  if (streams.historyBytes > historyBytesMax && stream.home) forget(stream)
}

function forget(stream: StreamState): void {
  stream.streams.historyBytes -= stream.keptBytes
  stream.keptBytes = 0
  stream.history.length = 0
  stream.canReplay = false
}

async function encodeSurely(stream: StreamState, samples: Int16Array, last: boolean): Promise<EncodedChunk> {
  for (let losses = 0; ; losses++) {
    try {
      return stream.home ? await encode(stream, samples, last) : await replay(stream, last)
    } catch (error) {
      const lost = error instanceof WorkerGone && error.isFailure
      if (!lost || !stream.canReplay || losses === streamLossesMax) throw error
      stream.home = undefined
    }
  }
}

/** Encodes the whole history in a new worker, and returns the bytes that were not emitted yet. */
async function replay(stream: StreamState, last: boolean): Promise<EncodedChunk> {
  const { history, emittedBytes } = stream
  stream.id = ++stream.streams.lastId
  const chunks: EncodedChunk[] = []
  for (const [i, samples] of history.entries())
    chunks.push(await encode(stream, samples, last && i === history.length - 1))
  const bytes = Buffer.concat(chunks.map((chunk) => chunk.bytes))
  return { ...chunks.at(-1)!, bytes: bytes.subarray(emittedBytes) }
}

async function encode(stream: StreamState, samples: Int16Array, last: boolean): Promise<EncodedChunk> {
  const { place, id, format, home } = stream
  const task: Task<'encode'> = { kind: 'encode', stream: id, ...format, samples, last }
  const result = await place.encode(task, home, (worker) => {
    stream.home = worker
    worker.streams.add(id)
  })
  return succeeded(result)
}
