/** Models that fail during customers' requests: no charge, and the next request works. */
import { afterAll, beforeAll, describe, expect, it, setDefaultTimeout } from 'bun:test'
import map from '../speech/sherpa/map.json'
import { childrenOf, isRunning, ticksOf } from '../processes'
import { auditDifference, audioFiles } from './books'
import { expectError } from './expect-error'
import { startEphemeral, stopAndRemove, type EphemeralSonant } from './sonant'
import { dropTones, hear, packsTried } from './voice-packs'
import { until } from '../until'

setDefaultTimeout(120_000)

/** An English sound that does not occur in the probe sentence. */
const zh = map.phoneme_id_map['ʒ'][0]!
const fine = 'The cat sat down.'
const fatal = 'A pleasure.'

let sonant: EphemeralSonant
let voices: Readonly<Record<string, string>>
beforeAll(async () => {
  sonant = await startEphemeral({ flags: ['--workers', '2'] })
  await dropTones(sonant.dataDirectory, 'en_US-brittle-low', { brokenBy: zh })
  await dropTones(sonant.dataDirectory, 'en_US-stuck-low', { endlessBy: zh })
  await dropTones(sonant.dataDirectory, 'en_US-deadly-low', { fatalBy: zh })
  const names = ['brittle', 'stuck', 'deadly'].map((name) => `en_US-${name}-low`)
  const packs = await packsTried(sonant, names, sonant.adminKey)
  voices = Object.fromEntries(Object.values(packs).map(({ name, voices: [id], reason }) => [name, id ?? reason!]))
})
afterAll(() => stopAndRemove(sonant))

const ask = (voiceId: string, text: string) => sonant.request('/api/v1/tts', { body: { text, voice_id: voiceId } })
const balance = async () => ((await (await sonant.request('/api/v1/balance')).json()) as { balance: number }).balance
const recordOf = async (id: string) => (await (await sonant.request(`/api/v1/usage/${id}`)).json()) as unknown
const loadedPids = (name: string) =>
  sonant
    .log()
    .split('\n')
    .filter((line) => line.includes('"model loaded"') && line.includes(name))
    .map((line) => (JSON.parse(line) as { pid: number }).pid)

async function expectUncharged(refused: Response, status: 502 | 504, before: { balance: number; files: string[] }) {
  const error = await expectError(refused, status, 'synthesis_failed', 'engine_error')
  expect(error.message).not.toMatch(/onnx|worker|\//)
  expect({ balance: await balance(), files: await audioFiles(sonant.dataDirectory) }).toEqual(before)
  expect(await recordOf(error.x_relay.request_id)).toMatchObject({
    status: 'failed',
    units: 0,
    url: null,
    error_code: 'synthesis_failed',
  })
  expect(auditDifference(sonant.dataDirectory)).toBeUndefined()
}
const state = async () => ({ balance: await balance(), files: await audioFiles(sonant.dataDirectory) })

describe('a model that passes its probe, and later', () => {
  it('returns NaN samples: the request fails uncharged, and the next one works', async () => {
    const voice = voices['en_US-brittle-low']!
    const first = await hear(sonant, { text: fine, voice_id: voice })
    await expectUncharged(await ask(voice, fatal), 502, await state())
    expect(sonant.log()).toContain('the model gave samples that are not finite')
    expect((await hear(sonant, { text: fine, voice_id: voice })).audio).toEqual(first.audio)
  })

  it('crashes its process: the request fails uncharged, and the next one works', async () => {
    const voice = voices['en_US-deadly-low']!
    const first = await hear(sonant, { text: fine, voice_id: voice })
    await expectUncharged(await ask(voice, fatal), 502, await state())
    expect((await hear(sonant, { text: fine, voice_id: voice })).audio).toEqual(first.audio)
    expect(loadedPids('en_US-deadly-low')).toHaveLength(2)
  })

  it('never ends: the request fails uncharged at its deadline, others continue, and its process is replaced', async () => {
    const voice = voices['en_US-stuck-low']!
    const first = await hear(sonant, { text: fine, voice_id: voice })
    const before = await state()
    const [pid] = loadedPids('en_US-stuck-low')
    const usedBefore = ticksOf(pid!)
    const stuck = ask(voice, fatal)
    const other = await hear(sonant, { text: fine, voice_id: voices['en_US-brittle-low'] })
    expect(other.answer).toMatchObject({ units: fine.length })
    before.balance -= fine.length
    before.files.push(`${other.answer.request_id}.wav`)
    // The process computes for ever; from here on it rests, because the deadline is far.
    await until(() => ticksOf(pid!) > usedBefore + 20)
    process.kill(pid!, 'SIGSTOP')
    await expectUncharged(await stuck, 504, before)
    expect(isRunning(pid!)).toBe(false)
    expect((await hear(sonant, { text: fine, voice_id: voice })).audio).toEqual(first.audio)
    expect(loadedPids('en_US-stuck-low')).toHaveLength(2)
  })

  it('loses its process in the middle: the request fails uncharged, and the next one works', async () => {
    const voice = voices['en_US-stuck-low']!
    const before = await state()
    const loaded = loadedPids('en_US-stuck-low').at(-1)!
    expect(childrenOf(sonant.process.pid)).toContain(loaded)
    const usedBefore = ticksOf(loaded)
    const dying = ask(voice, fatal)
    // Its graph never ends, so that its processor time says that it runs.
    await until(() => ticksOf(loaded) > usedBefore + 20)
    process.kill(loaded, 'SIGKILL')
    await expectUncharged(await dying, 502, before)
    const { answer } = await sonant.speak({ text: fine, voice_id: voice })
    expect(answer).toMatchObject({ remaining: before.balance - fine.length })
  })

  it('loses its idle process: no request fails', async () => {
    const voice = voices['en_US-stuck-low']!
    const before = await balance()
    const pid = loadedPids('en_US-stuck-low').at(-1)!
    process.kill(pid, 'SIGKILL')
    await until(() => !isRunning(pid))
    const { answer } = await sonant.speak({ text: fine, voice_id: voice })
    expect(answer).toMatchObject({ remaining: before - fine.length })
  })
})
