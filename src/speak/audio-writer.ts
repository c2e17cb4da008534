/** Encodes the audio of a request in order, and writes its bytes as they come. */
import type { AudioFormat, Encoder } from '../audio/encode/encoder'
import { createWavEncoder } from '../audio/encode/wav'
import type { Job } from '../workers/job'
import { faultMessage } from '../workers/protocol'
import type { EncodeStream } from '../workers/streams'
import { TaskFailed } from '../workers/task-failed'

/** Writes bytes of the file at a position. */
export type ByteSink = { write(bytes: Uint8Array, position: number): Promise<void> }

/** Encodes and writes the next samples. `last` completes the file. Throws `TaskFailed` and any error of the sink. */
export type AppendAudio = (samples: Int16Array, last: boolean) => Promise<void>

/** The head of the file needs the totals and is written last. `fails`: fails every time, for faults on demand. */
export function openAudioWriter(
  job: Pick<Job, 'openStream'>,
  { format, sampleRate, fails }: { readonly format: AudioFormat; readonly sampleRate: number; readonly fails: boolean },
  sink: ByteSink,
): AppendAudio {
  const encode =
    format === 'wav' ? encodeHere(createWavEncoder({ sampleRate })) : job.openStream({ format, sampleRate }).append
  let position: number | undefined
  return async (samples, last) => {
    if (fails) throw new TaskFailed('encode', faultMessage)
    const { bytes, headBytes, head } = await encode(samples, last)
    position ??= headBytes
    if (bytes.length > 0) await sink.write(bytes, position)
    position += bytes.length
    if (head) await sink.write(head, 0)
  }
}

/** Encodes WAV without a worker, because it is only a header before raw samples. */
function encodeHere(encoder: Encoder): EncodeStream['append'] {
  const { headBytes } = encoder
  return async (samples, last) => {
    try {
      const bytes = encoder.append(samples)
      return { bytes, headBytes, head: last ? encoder.finish().head : undefined }
    } catch (error) {
      throw new TaskFailed('encode', String(error))
    }
  }
}
