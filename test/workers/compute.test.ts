/** What neural voices are computed with, tried with real processes on a machine that has what it has. */
import { describe, expect, it } from 'bun:test'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogger } from '../../src/log'
import { createCompute, type ComputeOptions } from '../../src/workers/compute'

async function compute(options: Partial<ComputeOptions> = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'sonant-compute-'))
  return createCompute({
    command: [process.execPath, join(import.meta.dir, '../../src/main.ts'), 'worker'],
    wish: 'auto',
    libraryPath: undefined,
    directory,
    deviceIds: [],
    workers: 2,
    cores: 8,
    log: createLogger('silent'),
    ...options,
  })
}

describe('what computes', () => {
  it('is found by real runs, the last of which worked', async () => {
    const { find } = await compute()
    const { provider, trials, isFallback, device } = await find()
    expect(trials.at(-1)).toMatchObject({ provider, failure: null })
    expect(trials.slice(0, -1).every(({ failure }) => failure !== null)).toBe(true)
    expect([isFallback, device.length > 0]).toEqual([false, true])
  })

  it('is the CPU where what is wished for is not here, and that is said', async () => {
    const absent = process.platform === 'darwin' ? 'dml' : 'coreml'
    const tried = await compute({ wish: absent })
    expect(tried.found).toBeUndefined()
    await tried.find()
    expect(tried.found).toMatchObject({ provider: 'cpu', isFallback: true })
    expect(tried.found!.trials[0]).toMatchObject({ provider: absent, failure: expect.stringContaining(absent) })
  })

  it('may be another for one model than for the server, which goes on saying what it has itself', async () => {
    const tried = await compute({ wish: 'auto' })
    await tried.find()
    const own = tried.found!.provider
    expect((await tried.runtime('cpu')).provider).toBe('cpu')
    expect((await tried.runtime()).provider).toBe(own)
    expect(tried.found!.provider).toBe(own)
  })

  it('is tried once for all who ask at the same time', async () => {
    const { find } = await compute({ wish: 'cpu' })
    const [first, second] = await Promise.all([find(), find()])
    expect(first).toBe(second!)
  })

  it('is nothing with a library that cannot be loaded, and is tried again when asked again', async () => {
    const { find } = await compute({ wish: 'cpu', libraryPath: '/no/such/library.so' })
    await expect(find()).rejects.toThrow('/no/such/library.so')
    await expect(find()).rejects.toThrow('/no/such/library.so')
  })

  it('has as many threads as there are cores for each worker', async () => {
    expect((await compute({ cores: 8, workers: 2 }).then(({ runtime }) => runtime('cpu'))).threads).toBe(4)
    expect((await compute({ cores: 2, workers: 8 }).then(({ runtime }) => runtime('cpu'))).threads).toBe(1)
  })
})
