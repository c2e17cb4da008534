/** Writing the audio of a request, with a sink in memory. */
import { describe, expect, it } from 'bun:test'
import { openAudioWriter } from '../../src/speak/audio-writer'
import type { EncodedChunk } from '../../src/workers/protocol'
import { TaskFailed } from '../../src/workers/task-failed'

type Write = { readonly position: number; readonly bytes: readonly number[] }

/** `chunks`: the answers of the MP3 stream, in order. */
function setUp(format: 'mp3' | 'wav', chunks: readonly EncodedChunk[] = [], fails = false) {
  const writes: Write[] = []
  const answers = [...chunks]
  const job = { openStream: () => ({ append: async () => answers.shift()!, abandon() {} }) }
  const sink = {
    async write(bytes: Uint8Array, position: number) {
      writes.push({ position, bytes: [...bytes] })
    },
  }
  return { writes, append: openAudioWriter(job, { format, sampleRate: 8_000, fails }, sink) }
}

const chunk = (bytes: number[], head?: number[]): EncodedChunk => {
  return { bytes: Uint8Array.from(bytes), headBytes: 4, head: head && Uint8Array.from(head) }
}

describe('the audio of a request', () => {
  it('is written behind its head, in order, and the head last', async () => {
    const { writes, append } = setUp('mp3', [chunk([1, 2]), chunk([]), chunk([3], [9, 9, 9, 9])])
    for (const last of [false, false, true]) await append(new Int16Array(1), last)
    expect(writes).toEqual([
      { position: 4, bytes: [1, 2] },
      { position: 6, bytes: [3] },
      { position: 0, bytes: [9, 9, 9, 9] },
    ])
  })

  it('becomes WAV without a worker', async () => {
    const { writes, append } = setUp('wav')
    await append(Int16Array.of(1, -2), false)
    await append(Int16Array.of(3), true)
    expect(writes.slice(0, 2).map(({ bytes }) => bytes)).toEqual([
      [1, 0, 254, 255],
      [3, 0],
    ])
    const head = Buffer.from(writes[2]!.bytes)
    expect([writes[2]!.position, head.toString('latin1', 0, 4), head.length]).toEqual([0, 'RIFF', writes[0]!.position])
  })

  it('fails in the stage of encoding when a fault is asked for, and writes nothing', async () => {
    const { writes, append } = setUp('wav', [], true)
    const error = await append(Int16Array.of(1), true).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(TaskFailed)
    expect((error as TaskFailed).stage).toBe('encode')
    expect(writes).toEqual([])
  })
})
