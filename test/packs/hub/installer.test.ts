/** Installing packs in the background, one at a time. */
import { expect, it } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lockDirectory } from '../../../src/db/lock'
import { AppError } from '../../../src/errors'
import { createLogger } from '../../../src/log'
import { openHub } from '../../../src/packs/hub/client'
import { createInstaller } from '../../../src/packs/hub/installer'
import { discardPull, pullPack } from '../../../src/packs/hub/pull'
import { addPiperVoices, sha256, startHub } from './hub-server'

const log = createLogger('silent')
const discard = async () => {}
const keys = ['en_US-lessac-medium', 'en_US-amy-low', 'de_DE-thorsten-high']
const names = keys.map((key) => `piper/${key}`)

async function start() {
  const hub = startHub()
  addPiperVoices(
    hub,
    keys.map((key) => ({ key })),
    400_000,
  )
  const directory = join(await mkdtemp(join(tmpdir(), 'sonant-hub-')), 'voices')
  const opened = openHub({ address: hub.url, timing: { backoffMs: 1 } })
  const installer = createInstaller({
    pull: (name, options) =>
      pullPack(name, { ...options, hub: opened, directory, minFreeBytes: 0, lock: lockDirectory }),
    discard: (id) => discardPull(id, { directory, lock: lockDirectory }),
    log,
  })
  const graphOf = (key: string) =>
    Object.entries(hub.repositories['rhasspy/piper-voices']!).find(([path]) => path.endsWith(`/${key}.onnx`))![1].bytes
  const stateOf = (name: string) => installer.status().find((install) => install.name === name)
  const until = async (isReached: () => boolean) => {
    while (!isReached()) await Bun.sleep(5)
  }
  const stop = async () => {
    await installer.close()
    await hub.stop()
    await rm(join(directory, '..'), { recursive: true })
  }
  return { hub, directory, installer, graphOf, stateOf, until, stop }
}

it('pulls one pack at a time, in order, and reports progress', async () => {
  const { hub, directory, installer, graphOf, stateOf, until, stop } = await start()
  const [first, second] = names as [string, string]
  const gate = Promise.withResolvers<void>()
  const bytes = graphOf(keys[0]!)
  const half = () =>
    new Response(
      new ReadableStream({
        async start(controller) {
          controller.enqueue(bytes.slice(0, 200_000))
          await gate.promise
          controller.enqueue(bytes.slice(200_000))
          controller.close()
        },
      }),
    )
  hub.faults.set(sha256(bytes), half)
  expect(installer.start(first)).toEqual({
    name: first,
    id: `piper-${keys[0]}`,
    state: 'waiting',
    receivedBytes: 0,
    sizeBytes: null,
    folder: null,
    license: null,
    reason: null,
  })
  expect(installer.start(second).state).toBe('waiting')
  await until(() => (stateOf(first)?.receivedBytes ?? 0) > 100_000)
  expect(stateOf(first)).toMatchObject({ state: 'downloading', folder: `piper-${keys[0]}`, reason: null })
  expect(stateOf(first)!.sizeBytes).toBeGreaterThan(400_000)
  expect(stateOf(second)?.state).toBe('waiting')
  expect(installer.start(first).state).toBe('downloading')
  gate.resolve()
  await until(() => stateOf(second)?.state === 'installed')
  expect(stateOf(first)).toMatchObject({ state: 'installed', receivedBytes: stateOf(first)!.sizeBytes })
  expect(installer.status()).toHaveLength(2)
  expect((await readdir(directory)).sort()).toEqual(
    keys
      .slice(0, 2)
      .map((key) => `piper-${key}`)
      .sort(),
  )
  await stop()
})

it('reports a failure, continues with the next pack, and retries on request', async () => {
  const { hub, installer, stateOf, until, stop } = await start()
  const [first, second] = names as [string, string]
  hub.faults.set('en_US-lessac-medium.onnx', () => new Response('no', { status: 404 }))
  installer.start(first)
  installer.start(second)
  await until(() => stateOf(second)?.state === 'installed')
  expect(stateOf(first)).toMatchObject({ state: 'failed', reason: expect.stringContaining('HTTP 404') })
  hub.faults.clear()
  installer.start(first)
  await until(() => stateOf(first)?.state === 'installed')
  expect(stateOf(first)!.reason).toBeNull()
  await stop()
})

it('limits the number of waiting packs', async () => {
  const pending = Promise.withResolvers<never>()
  pending.promise.catch(() => {})
  const installer = createInstaller({ pull: () => pending.promise, discard, log })
  installer.start('kokoro')
  await Bun.sleep(1)
  for (let i = 0; i < 16; i++) installer.start(`piper/en_US-nr${i}-low`)
  expect(() => installer.start('piper/en_US-last-low')).toThrow(
    new AppError('rate_limited', '16 packs are waiting to be installed.'),
  )
  expect(installer.start('piper/en_US-nr3-low').state).toBe('waiting')
  pending.reject(new Error('enough'))
  await installer.close()
})

it('remembers only the last finished installs', async () => {
  const installer = createInstaller({ pull: () => Promise.reject(new Error('no')), discard, log })
  for (let i = 0; i < 60; i++) {
    installer.start(`piper/en_US-nr${i}-low`)
    while (installer.status().some(({ state }) => state !== 'failed')) await Bun.sleep(0)
  }
  const left = installer.status()
  expect(left.length).toBeLessThanOrEqual(33)
  expect(left.at(-1)?.name).toBe('piper/en_US-nr59-low')
  await installer.close()
})

it('cancels a running and a waiting install, leaves no file, and installs the pack when it is asked for again', async () => {
  const { hub, directory, installer, graphOf, stateOf, until, stop } = await start()
  const [first, second, third] = names as [string, string, string]
  const bytes = graphOf(keys[0]!)
  const half = () =>
    new Response(new ReadableStream({ start: (controller) => controller.enqueue(bytes.slice(0, 200_000)) }))
  hub.faults.set(sha256(bytes), half)
  for (const name of [first, second, third]) installer.start(name)
  await until(() => (stateOf(first)?.receivedBytes ?? 0) >= 200_000)
  expect(stateOf(first)).toMatchObject({ license: 'CC BY 4.0' })
  const idOf = (name: string) => stateOf(name)!.id
  expect(await installer.cancel(idOf(second))).toMatchObject({ name: second, state: 'cancelled' })
  const [one, other] = await Promise.all([installer.cancel(idOf(first)), installer.cancel(idOf(first))])
  expect(one).toMatchObject({ name: first, state: 'cancelled', receivedBytes: 0, reason: null })
  expect(other).toEqual(one!)
  await until(() => stateOf(third)?.state === 'installed')
  expect(await readdir(directory)).toEqual([`piper-${keys[2]}`])
  expect(await installer.cancel(idOf(third))).toMatchObject({ state: 'installed' })
  expect(await installer.cancel('nothing')).toBeUndefined()
  hub.faults.clear()
  installer.start(first)
  await until(() => stateOf(first)?.state === 'installed')
  await stop()
})

it('stops with the server and keeps the received bytes', async () => {
  const { hub, directory, installer, graphOf, stateOf, until, stop } = await start()
  const bytes = graphOf(keys[0]!)
  const half = () =>
    new Response(new ReadableStream({ start: (controller) => controller.enqueue(bytes.slice(0, 200_000)) }))
  hub.faults.set(sha256(bytes), half)
  installer.start(names[0]!)
  await until(() => (stateOf(names[0]!)?.receivedBytes ?? 0) >= 200_000)
  await installer.close()
  expect(await readdir(directory)).toEqual([`.piper-${keys[0]}.part`])
  await stop()
})
