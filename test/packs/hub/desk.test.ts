/** The hub beside a running server: one reading of its index for many searches, and its failures. */
import { afterAll, beforeAll, expect, it } from 'bun:test'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDeadline } from '../../../src/deadline'
import { openHub } from '../../../src/packs/hub/client'
import { createHubDesk } from '../../../src/packs/hub/desk'
import { addPiperVoices, startHub, type HubServer } from './hub-server'

let hub: HubServer
let directory: string
beforeAll(async () => {
  hub = startHub()
  addPiperVoices(hub, [{ key: 'en_US-amy-low' }, { key: 'sl_SI-artur-medium' }], 1000)
  directory = await mkdtemp(join(tmpdir(), 'sonant-desk-'))
})
afterAll(async () => {
  await hub.stop()
  await rm(directory, { recursive: true })
})

const open = (address = hub.url) => createHubDesk({ hub: openHub({ address, timing: { backoffMs: 1 } }), directory })
const soon = () => startDeadline(20_000)
const indexReads = () => hub.log.filter((line) => line.endsWith('/voices.json')).length

it('reads the index once for searches at the same time and later ones, and sees what was installed meanwhile', async () => {
  const desk = open()
  const before = indexReads()
  const [all, english] = await Promise.all([desk.search([], soon()), desk.search(['en_US', 'amy'], soon())])
  expect(english.map(({ name, installed }) => [name, installed])).toEqual([['piper/en_US-amy-low', false]])
  expect(all.map(({ name }) => name)).toContain('piper/sl_SI-artur-medium')
  await mkdir(join(directory, 'piper-en_US-amy-low'))
  expect(await desk.search(['amy'], soon())).toMatchObject([{ installed: true }])
  expect(await desk.search(['Klingon'], soon())).toEqual([])
  expect(indexReads() - before).toBe(1)
})

it('asks again after a failure, which it reports as one of the hub', async () => {
  const desk = open()
  for (const status of [404, 403]) {
    hub.faults.set('voices.json', () => new Response('no', { status }))
    await expect(desk.search([], soon())).rejects.toMatchObject({ code: 'url_fetch_failed' })
    await desk.search([], soon()).catch(() => {})
  }
  hub.faults.clear()
  expect(await desk.search(['artur'], soon())).toHaveLength(1)
  await expect(open('http://127.0.0.1:1').search([], soon())).rejects.toMatchObject({ code: 'url_fetch_failed' })
})

it('does not wait for the hub beyond its deadline', async () => {
  const gate = Promise.withResolvers<Response>()
  hub.faults.set('voices.json', () => gate.promise as unknown as Response)
  const late = { code: 'url_fetch_failed', message: 'The hub: it did not answer in time.' }
  expect(
    await open()
      .search([], startDeadline(50))
      .catch((error: unknown) => error),
  ).toMatchObject(late)
  gate.resolve(new Response('{}'))
  hub.faults.clear()
})

it('shows the licence, the card and the size of a pack before it is installed', async () => {
  const shown = await open().describe('piper/en_US-amy-low', soon())
  expect(shown).toMatchObject({ folder: 'piper-en_US-amy-low', license: 'CC BY 4.0', family: 'piper' })
  expect(shown.card).toContain('CC BY 4.0')
  await expect(open().describe('piper/xx_XX-none-low', soon())).rejects.toMatchObject({ code: 'not_found' })
  await expect(open().describe('nothing', soon())).rejects.toMatchObject({ code: 'invalid_params' })
})
