/** Trying a pack in a process of its own: what never ends, ends there. */
import { afterAll, expect, it } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runAlone } from '../../src/speech/alone'
import { writeRuntimeOptions } from '../../src/speech/onnx/runtime-options'
import { WorkerGone } from '../../src/speech/worker-process'
import { writePiperPack } from '../onnx/piper'
import { tonesModel } from '../onnx/tones'
import { childrenOf, isRunning } from '../processes'

const directory = await mkdtemp(join(tmpdir(), 'sonant-alone-'))
afterAll(() => rm(directory, { recursive: true }))

const timeoutMs = 5_000

it('a model that never ends is given up after its time, with its process', async () => {
  const pack = join(directory, 'endless')
  await writePiperPack(pack, { model: tonesModel({ endlessBy: 'always' }) })
  const startedAtMs = performance.now()
  const error = await runAlone(
    { kind: 'probe', directory: pack, memoryMaxBytes: 1e9 },
    {
      command: [process.execPath, join(import.meta.dir, '../../src/main.ts'), 'worker'],
      memoryMaxBytes: 4e9,
      environment: writeRuntimeOptions({ directory, provider: 'cpu', threads: 1 }),
      timeoutMs,
    },
  ).then(
    (answer) => new Error(JSON.stringify(answer)),
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(WorkerGone)
  expect((error as WorkerGone).reason).toBe('timeout')
  expect((error as WorkerGone).begun).toBe(true)
  expect(performance.now() - startedAtMs).toBeWithin(timeoutMs, timeoutMs + 3_000)
  expect(childrenOf(process.pid).filter(isRunning)).toEqual([])
}, 30_000)
