/** Child processes: their environment, memory limits and end. */
import { afterEach, describe, expect, it } from 'bun:test'
import { join } from 'node:path'
import { getPriority } from 'node:os'
import { startChild, type Child } from '../../src/process/child'
import { isRunning } from '../processes'
import type { Order, Report } from './obedient-child'
import { readFirstLine } from '../lines'

const isLinux = process.platform === 'linux'
if (!isLinux)
  console.warn('SKIPPED other than on Linux: limits of memory, and children that hang when their parent dies')

const command = [process.execPath, join(import.meta.dir, 'obedient-child.ts')]
const started: { child: Child<Order>; exited: Promise<void> }[] = []
afterEach(async () => {
  for (const { child, exited } of started.splice(0)) {
    child.kill()
    await exited
  }
})

/** Starts a child and waits until it is ready. `ask` returns its next message. */
async function start() {
  const exit = Promise.withResolvers<void>()
  let next = Promise.withResolvers<Report>()
  const onMessage = (report: Report) => next.resolve(report)
  const child = startChild<Report, Order>({ command, priority: 3, onMessage, onExit: exit.resolve })
  started.push({ child, exited: exit.promise })
  expect(await next.promise).toBe('ready')
  const ask = (order: Order) => {
    next = Promise.withResolvers()
    expect(child.send(order)).toBe(true)
    return next.promise
  }
  return { child, ask, exited: exit.promise }
}

const megabyte = 1 << 20

describe('a child process', () => {
  it('has the given priority', async () => {
    const { child } = await start()
    expect(getPriority(child.pid)).toBe(3)
  })

  it('gets variables of paths and drivers, but no setting and no secret of the server', async () => {
    const given = {
      SONANT_ADMIN_KEY: 'sk-secret',
      AWS_SECRET_ACCESS_KEY: 'aws',
      NVIDIA_API_KEY: 'nv',
      CUDA_CACHE_PATH: '/c',
    }
    Object.assign(process.env, given)
    const { ask } = await start().finally(() => {
      for (const name of Object.keys(given)) delete process.env[name]
    })
    const { environment } = (await ask('environment')) as { environment: Record<string, string> }
    expect(environment).toMatchObject({ PATH: process.env.PATH, CUDA_CACHE_PATH: '/c' })
    expect(Object.keys(environment).filter((name) => /SONANT|SECRET|KEY/.test(name))).toEqual([])
  })

  it.skipIf(!isLinux)('gets no memory beyond its limit from the kernel, and goes on with less', async () => {
    const { child, ask } = await start()
    expect(await ask({ allocateBytes: 3000 * megabyte })).toEqual({ isAllocated: true })
    expect(child.limitMemoryGrowth(500 * megabyte)).toBe(true)
    expect(await ask({ allocateBytes: 600 * megabyte })).toEqual({ isAllocated: false })
    expect(await ask({ allocateBytes: 300 * megabyte })).toEqual({ isAllocated: true })
    expect(await ask({ allocateBytes: 300 * megabyte })).toEqual({ isAllocated: false })
  })

  it('ignores the signals that a terminal or a service manager sends to all processes', async () => {
    const { child, ask } = await start()
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGPIPE'] as const
    for (const signal of signals) process.kill(child.pid, signal)
    expect(await ask('environment')).toBeDefined()
  })

  it.each(isLinux ? (['hanging', 'stopped'] as const) : [])('ends with its parent, even if it is %s', async (state) => {
    const parent = Bun.spawn([process.execPath, join(import.meta.dir, 'parent-script.ts')], { stdout: 'pipe' })
    const pid = Number(await readFirstLine(parent.stdout))
    expect(isRunning(pid)).toBe(true)
    if (state === 'stopped') process.kill(pid, 'SIGSTOP')
    parent.kill('SIGKILL')
    await parent.exited
    while (isRunning(pid)) await Bun.sleep(10)
  })
})
