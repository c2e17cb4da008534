/** Probing a pack in an isolated process, which ends even when the model never does. */
import { afterAll, expect, it } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runIsolated } from '../../src/workers/isolated'
import { writeRuntimeOptions } from '../../src/speech/onnx/runtime-options'
import { WorkerGone } from '../../src/workers/worker-process'
import { writePiperPack } from '../onnx/piper'
import { tonesModel } from '../onnx/tones'
import { childrenOf, isRunning } from '../processes'

const directory = await mkdtemp(join(tmpdir(), 'sonant-alone-'))
afterAll(() => rm(directory, { recursive: true }))

const timeoutMs = 5_000
const command = [process.execPath, join(import.meta.dir, '../../src/main.ts'), 'worker']
const environment = writeRuntimeOptions({ directory, provider: 'cpu', threads: 1 })

/** Peak memory of a process so far; 0 when it is gone. */
function peakBytes(pid: number): number {
  const status = existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, 'utf8') : ''
  return 1024 * Number(/VmHWM:\s*(\d+)/.exec(status)?.[1] ?? 0)
}

if (process.platform !== 'linux') console.warn('SKIPPED other than on Linux: a limit of memory that the kernel keeps')

it.skipIf(process.platform !== 'linux')(
  'a model that asks for 12 GB at once is refused it by the kernel, and says so',
  async () => {
    const pack = join(directory, 'huge')
    await writePiperPack(pack, { model: tonesModel({ constantBytes: 12e9 }) })
    const memoryMaxBytes = 1e9
    let peak = 0
    const watching = setInterval(() => {
      for (const pid of childrenOf(process.pid)) peak = Math.max(peak, peakBytes(pid))
    }, 5)
    const outcome = await runIsolated(
      { kind: 'probe', directory: pack, memoryMaxBytes: 16e9 },
      { command, memoryMaxBytes, threads: 1, environment, timeoutMs: 60_000 },
    ).finally(() => clearInterval(watching))
    expect(outcome).toMatchObject({
      ok: true,
      answer: { reason: expect.stringMatching(/\.onnx needs more memory than a model of its size may use$/) },
    })
    expect(peak).toBeWithin(1, memoryMaxBytes)
  },
  60_000,
)

it('a model that never ends is killed with its process at the time limit', async () => {
  const pack = join(directory, 'endless')
  await writePiperPack(pack, { model: tonesModel({ endlessBy: 'always' }) })
  const error = await runIsolated(
    { kind: 'probe', directory: pack, memoryMaxBytes: 1e9 },
    {
      command,
      memoryMaxBytes: 4e9,
      environment,
      timeoutMs,
    },
  ).then(
    (outcome) => new Error(JSON.stringify(outcome)),
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(WorkerGone)
  expect((error as WorkerGone).reason).toBe('timeout')
  expect((error as WorkerGone).begun).toBe(true)
  expect(childrenOf(process.pid).filter(isRunning)).toEqual([])
}, 30_000)
