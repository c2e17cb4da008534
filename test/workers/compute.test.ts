/** The choice of the compute provider, with real processes on the hardware of this machine. */
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

describe('the compute provider', () => {
  it('is found by real runs, of which the last one works', async () => {
    const { find } = await compute()
    const { provider, trials, isFallback, device } = await find()
    expect(trials.at(-1)).toMatchObject({ provider, failure: null })
    expect(trials.slice(0, -1).every(({ failure }) => failure !== null)).toBe(true)
    expect([isFallback, device.length > 0]).toEqual([false, true])
  })

  it('falls back to the CPU when the configured one is missing, and reports the fallback', async () => {
    const absent = process.platform === 'darwin' ? 'dml' : 'coreml'
    const tried = await compute({ wish: absent })
    expect(tried.found).toBeUndefined()
    await tried.find()
    expect(tried.found).toMatchObject({ provider: 'cpu', isFallback: true })
    expect(tried.found!.trials[0]).toMatchObject({ provider: absent, failure: expect.stringContaining(absent) })
  })

  it('may differ for one model, while the server still reports its own', async () => {
    const tried = await compute({ wish: 'auto' })
    await tried.find()
    const own = tried.found!.provider
    expect((await tried.runtime('cpu')).provider).toBe('cpu')
    expect((await tried.runtime()).provider).toBe(own)
    expect(tried.found!.provider).toBe(own)
  })

  it('is tried once for concurrent searches', async () => {
    const { find } = await compute({ wish: 'cpu' })
    const [first, second] = await Promise.all([find(), find()])
    expect(first).toBe(second!)
  })

  it('is not found with a library that cannot be loaded, and the next search tries again', async () => {
    const { find } = await compute({ wish: 'cpu', libraryPath: '/no/such/library.so' })
    await expect(find()).rejects.toThrow('/no/such/library.so')
    await expect(find()).rejects.toThrow('/no/such/library.so')
  })

  it('gets an equal share of the cores as threads for each worker', async () => {
    expect((await compute({ cores: 8, workers: 2 }).then(({ runtime }) => runtime('cpu'))).threads).toBe(4)
    expect((await compute({ cores: 2, workers: 8 }).then(({ runtime }) => runtime('cpu'))).threads).toBe(1)
  })
})
