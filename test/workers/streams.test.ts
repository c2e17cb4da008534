/** Encoder streams whose workers are lost, with workers that encode each sample as one byte. */
import { describe, expect, it } from 'bun:test'
import { createStreams, type PlaceEncoding } from '../../src/workers/streams'
import { WorkerGone, type GoneReason, type WorkerProcess } from '../../src/workers/worker-process'

/** `losses`: why each encoding task in turn loses its worker; undefined for a task that succeeds. */
function setUp(losses: readonly (GoneReason | undefined)[] = []) {
  const asked: string[] = []
  let tasks = 0
  let workers = 0
  const startWorker = () => ({ pid: ++workers, gone: false, streams: new Set() }) as unknown as WorkerProcess
  const place: PlaceEncoding = {
    async encode({ stream, samples, last }, worker, onStart) {
      const by = worker ?? startWorker()
      onStart(by)
      asked.push(`${by.pid}/${stream}: ${samples.join(' ')}`)
      const reason = losses[tasks++]
      if (reason) throw new WorkerGone(reason, true)
      const answer = { bytes: Uint8Array.from(samples), headBytes: 1, head: last ? Uint8Array.of(0) : undefined }
      return { outcome: { ok: true, answer }, chunks: [] }
    },
    abandon: (stream, worker) => void asked.push(`abandon ${worker.pid}/${stream}`),
  }
  return { asked, stream: createStreams()(place, { format: 'mp3', sampleRate: 16_000 }) }
}

const samples = (...values: number[]) => Int16Array.from(values)

describe('an encoder stream', () => {
  it('stays in one worker', async () => {
    const { asked, stream } = setUp()
    await stream.append(samples(1, 2), false)
    expect(await stream.append(samples(3), true)).toMatchObject({ bytes: Uint8Array.of(3), head: Uint8Array.of(0) })
    expect(asked).toEqual(['1/1: 1 2', '1/1: 3'])
  })

  it('is encoded again from its start when its worker is lost, and no byte comes twice', async () => {
    const { asked, stream } = setUp([undefined, 'died', undefined, 'unresponsive'])
    const bytes: number[] = []
    for (const [i, part] of [samples(1, 2), samples(3), samples(4)].entries())
      bytes.push(...(await stream.append(part, i === 2)).bytes)
    expect(bytes).toEqual([1, 2, 3, 4])
    expect(asked).toEqual(['1/1: 1 2', '1/1: 3', '2/2: 1 2', '2/2: 3', '3/3: 1 2', '3/3: 3', '3/3: 4'])
  })

  it('fails when its own task was the cause, or when it has lost six workers', async () => {
    const slow = setUp(['timeout'])
    await expect(slow.stream.append(samples(1), false)).rejects.toMatchObject({ reason: 'timeout' })
    expect(slow.asked).toHaveLength(1)
    const unlucky = setUp(Array(10).fill('died'))
    await expect(unlucky.stream.append(samples(1), false)).rejects.toMatchObject({ reason: 'died' })
    expect(unlucky.asked).toHaveLength(6)
  })

  it('is abandoned in its worker, once, unless it has ended', async () => {
    const { asked, stream } = setUp()
    await stream.append(samples(1), false)
    stream.abandon()
    stream.abandon()
    expect(asked).toEqual(['1/1: 1', 'abandon 1/1'])
    const ended = setUp()
    await ended.stream.append(samples(1), true)
    ended.stream.abandon()
    expect(ended.asked).toEqual(['1/1: 1'])
  })
})
