/**
 * Runs a graph of Piper's signature in a separate process, without the rest of the product; on request with the
 * resampler and the mp3 encoder. `graph.ts` starts it.
 */
import { createMp3Encoder, mp3BitrateKbps, mp3SampleRate } from '../../src/audio/encode/mp3'
import { toInt16 } from '../../src/audio/pcm'
import { resample } from '../../src/audio/resample'
import { openRuntime, type Session } from '../../src/speech/onnx/runtime'
import { answerTasks, measureSpeaking } from './answering'

/** `sentences`: the ids of each; they become one file. `threads` null: the choice of onnxruntime. */
export type GraphTask = {
  readonly path: string
  readonly threads: number | null
  readonly sentences: readonly (readonly number[])[]
  readonly mp3: boolean
}

const sampleRate = 22_050
/** Scales of the heavy voice's configuration: noise, length, noise of the lengths. */
const scales = [0.667, 1.1, 0.8]

const sessions = new Map<string, Promise<Session>>()

async function open(path: string, threads: number | null): Promise<Session> {
  // 0 lets onnxruntime choose: one thread per core.
  const runtime = await openRuntime({ directory: '', provider: 'cpu', threads: threads ?? 0 })
  return runtime.openSession(path)
}

function sessionOf({ path, threads }: GraphTask): Promise<Session> {
  const key = `${path} ${threads}`
  const session = sessions.get(key) ?? open(path, threads)
  sessions.set(key, session)
  return session
}

/** Returns the seconds of audio. */
async function speak(task: GraphTask): Promise<number> {
  const session = await sessionOf(task)
  const runtime = await openRuntime({ directory: '', provider: 'cpu', threads: 1 })
  const rate = mp3SampleRate(sampleRate)
  const encoder = task.mp3 ? await createMp3Encoder({ sampleRate: rate, bitrateKbps: mp3BitrateKbps(rate) }) : undefined
  let frames = 0
  for (const ids of task.sentences) {
    const { output } = await session.run({
      input: runtime.int64(ids, [1, ids.length]),
      input_lengths: runtime.int64([ids.length], [1]),
      scales: runtime.float32(Float32Array.from(scales), [3]),
    })
    const samples = output!.data as Float32Array
    frames += samples.length
    encoder?.append(toInt16(resample({ samples, sampleRate }, rate).samples))
  }
  encoder?.finish()
  return frames / sampleRate
}

answerTasks((task: GraphTask) => measureSpeaking(() => speak(task)))
