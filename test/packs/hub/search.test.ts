/** Searching for packs on a local hub. */
import { afterAll, beforeAll, expect, it } from 'bun:test'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openHub } from '../../../src/packs/hub/client'
import { readHubIndex, searchIndex } from '../../../src/packs/hub/search'
import { addPiperVoices, noise, startHub, text, type HubServer } from './hub-server'

let hub: HubServer
let directory: string

beforeAll(async () => {
  hub = startHub()
  addPiperVoices(
    hub,
    [
      { key: 'zh_CN-huayan-medium', names: ['简体中文', 'Chinese', 'China'] },
      { key: 'en_US-lessac-medium' },
      { key: 'en_GB-vctk-medium', names: ['English', 'English', 'Great Britain'], speakers: 109 },
      { key: 'sl_SI-artur-medium', names: ['Slovenščina', 'Slovenian', 'Slovenia'] },
      { key: 'sv_SE-en-low', names: ['Svenska', 'Swedish', 'Sweden'] },
    ],
    1000,
  )
  hub.repositories['KittenML/kitten-tts-nano-0.8-fp32'] = {
    'config.json': { bytes: text('{}'), large: false },
    'kitten_tts_nano_v0_8.onnx': { bytes: noise(4000, 2), large: true },
    'voices.npz': { bytes: noise(3000, 3), large: true },
    'samples/other.onnx': { bytes: noise(3000, 3), large: true },
  }
  directory = await mkdtemp(join(tmpdir(), 'sonant-hub-'))
  await mkdir(join(directory, 'piper-en_GB-vctk-medium'))
})
afterAll(async () => {
  await hub.stop()
  await rm(directory, { recursive: true })
})

const search = async (...words: string[]) =>
  searchIndex(await readHubIndex(openHub({ address: hub.url })), words, directory)
const namesOf = async (...words: string[]) => (await search(...words)).map(({ name }) => name)

const hibari = ['hibari', 'hibari/emma', 'hibari/fenrir', 'hibari/fable', 'hibari/kore']

it('lists everything without words', async () => {
  const found = await search()
  expect(found.map(({ name }) => name)).toEqual([
    ...['kokoro', 'kokoro-fp16', 'kokoro-fp32', 'kokoro-zh', ...hibari, 'kitten', 'kitten-mini', 'openvoice-v2'],
    ...['en_GB-vctk-medium', 'sl_SI-artur-medium', 'sv_SE-en-low', 'zh_CN-huayan-medium', 'en_US-lessac-medium'].map(
      (key) => `piper/${key}`,
    ),
  ])
  expect(found.find(({ name }) => name === 'piper/en_GB-vctk-medium')).toEqual({
    name: 'piper/en_GB-vctk-medium',
    family: 'piper',
    languages: ['en-GB'],
    description: 'English, Great Britain',
    quality: 'medium',
    speakers: 109,
    sizeBytes: expect.any(Number),
    installed: true,
  })
  expect(found.filter(({ installed }) => installed)).toHaveLength(1)
})

it('lists last, and says so, what is for research only', async () => {
  const found = await search('medium')
  expect(found.at(-1)).toMatchObject({
    name: 'piper/en_US-lessac-medium',
    description: expect.stringMatching(/; for research only$/),
  })
  expect(found.slice(0, -1).filter(({ description }) => description.includes('research'))).toEqual([])
})

it('gives the size of a pack on the hub', async () => {
  const sizes = Object.fromEntries((await search()).map(({ name, sizeBytes }) => [name, sizeBytes]))
  expect(sizes.kitten).toBe(7002)
  expect(sizes['openvoice-v2']).toBeNull()
})

it('asks the hub once for a repository that several packs come from', async () => {
  hub.log.length = 0
  await search()
  const asked = hub.log.filter((line) => line.includes('/api/models/maureesewilliams/hibari/'))
  expect(asked).toEqual(['/api/models/maureesewilliams/hibari/revision/main'])
})

it('matches a language tag as a whole word', async () => {
  const english = ['kokoro', 'kokoro-fp16', 'kokoro-fp32', 'kokoro-zh', ...hibari, 'kitten', 'kitten-mini']
  expect(await namesOf('en')).toEqual([...english, 'piper/en_GB-vctk-medium', 'piper/en_US-lessac-medium'])
  for (const american of ['en_US', 'EN-us'])
    expect(await namesOf(american)).toEqual([
      ...['hibari', 'hibari/fenrir', 'hibari/kore', 'piper/en_US-lessac-medium'],
    ])
  expect(await namesOf('en_GB')).toEqual(['hibari/emma', 'hibari/fable', 'piper/en_GB-vctk-medium'])
  expect(await namesOf('xx')).toEqual([])
})

it('matches a language by its English or native name', async () => {
  const chinese = ['kokoro', 'kokoro-fp16', 'kokoro-fp32', 'kokoro-zh', 'piper/zh_CN-huayan-medium']
  for (const word of ['zh', 'chinese', 'Chinese', 'mandarin', '中文']) expect(await namesOf(word)).toEqual(chinese)
  expect(await namesOf('slovenščina')).toEqual(['piper/sl_SI-artur-medium'])
})

it('requires every word to match: country, quality, name', async () => {
  expect(await namesOf('english', 'britain')).toEqual(['piper/en_GB-vctk-medium'])
  expect(await namesOf('medium', 'zh')).toEqual(['piper/zh_CN-huayan-medium'])
  expect(await namesOf('lessac', 'zh')).toEqual([])
  expect(await namesOf('piper', 'low')).toEqual(['piper/sv_SE-en-low'])
  expect(await namesOf('british', 'female')).toEqual(['hibari/emma'])
  expect(await namesOf('heart')).toEqual(['hibari'])
  expect(await namesOf('openvoice')).toEqual(['openvoice-v2'])
  expect(await namesOf('piper/en_us-lessac')).toEqual(['piper/en_US-lessac-medium'])
})
