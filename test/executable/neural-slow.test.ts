/** A pack that is too slow for its machine: reported everywhere, and used for texts that fit. */
import { afterAll, beforeAll, expect, it, setDefaultTimeout } from 'bun:test'
import { expectError } from './expect-error'
import { runSonant, startEphemeral, stopAndRemove, type EphemeralSonant } from './sonant'
import { dropTones, packsTried, type PackItem } from './voice-packs'

setDefaultTimeout(120_000)

/**
 * One worker and twenty seconds: a pack is slow above a real-time factor of 0.12. The voice has 0.6 on a core of 2.6 GHz.
 */
const settings = ['--provider', 'cpu', '--workers', '1', '--tts-seconds-max', '20']
const slowRounds = 20_000

let sonant: EphemeralSonant
let packs: Readonly<Record<string, PackItem>>
beforeAll(async () => {
  sonant = await startEphemeral({ flags: settings })
  await dropTones(sonant.dataDirectory, 'en_US-lazy-low', { slowRounds })
  await dropTones(sonant.dataDirectory, 'en_US-swift-low')
  packs = await packsTried(sonant, ['en_US-lazy-low', 'en_US-swift-low'], sonant.adminKey)
})
afterAll(() => stopAndRemove(sonant))

const say = (text: string, more: object = {}) =>
  sonant.request('/api/v1/tts', { body: { text, voice_id: packs['en_US-lazy-low']!.voices[0], ...more } })
const charactersIn = (text: unknown) => Number(/about (\d+) characters/.exec(String(text))?.[1])

it('is marked slow with advice, over HTTP, at the command line and in the log; a fast pack is not', () => {
  expect(packs['en_US-swift-low']).toMatchObject({ state: 'ready', slow: false, advice: null })
  const { state, slow, advice, real_time_factor: factor } = packs['en_US-lazy-low']!
  expect([state, slow]).toEqual(['ready', true])
  expect(Number(factor)).toBeGreaterThan(Number(packs['en_US-swift-low']!.real_time_factor))
  expect(charactersIn(advice)).toBeWithin(1, 2_000)
  const { stdout } = runSonant(['voices', 'packs', '--json', '--data', sonant.dataDirectory])
  const { items } = JSON.parse(stdout) as { items: PackItem[] }
  expect(items.map(({ name, real_time_factor, slow, advice }) => [name, real_time_factor, slow, advice])).toEqual(
    Object.values(packs).map(({ name, real_time_factor, slow, advice }) => [name, real_time_factor, slow, advice]),
  )
  const warned = sonant
    .log()
    .split('\n')
    .filter((line) => line.includes('pack is slow on this machine'))
  expect(warned.map((line) => (JSON.parse(line) as { pack: string }).pack)).toEqual(['en_US-lazy-low'])
})

it('is marked slow in the lists of voices, which name its pack for administrators', async () => {
  const idOf = (name: string) => packs[name]!.voices[0]!
  const [lazy, swift] = [idOf('en_US-lazy-low'), idOf('en_US-swift-low')]
  type Listed = { id: string; slow?: boolean }
  const { voices } = (await (await sonant.request('/api/v1/voices')).json()) as { voices: Listed[] }
  expect(voices.filter((voice) => 'slow' in voice).map(({ id, slow }) => [id, slow])).toEqual([[lazy, true]])
  const { items } = (await sonant.admin('/voices')) as { items: Record<string, unknown>[] }
  const shown = (id: string) => items.find((item) => item.id === id)
  const { license, real_time_factor } = packs['en_US-lazy-low']!
  expect(shown(lazy)).toMatchObject({ pack: 'en_US-lazy-low', slow: true, license, real_time_factor })
  expect(shown(swift)).toMatchObject({ pack: 'en_US-swift-low', slow: false })
  const builtIn = { pack: null, slow: false, license: null, real_time_factor: null, deterministic: true }
  expect(shown('en-ross')).toMatchObject(builtIn)
})

it('is reported by the doctor, which calls the machine well', () => {
  const { exitCode, stdout } = runSonant(['doctor', '--json', '--provider', 'cpu', '--data', sonant.dataDirectory])
  const { findings } = JSON.parse(stdout) as { findings: { subject: string; state: string; says: string }[] }
  expect(findings.filter(({ subject }) => subject === 'pack')).toEqual([
    { subject: 'pack', state: 'warn', says: expect.stringContaining('en_US-lazy-low is slow: real-time factor') },
  ])
  expect(exitCode).toBe(0)
})

it('speaks texts that fit; one that does not is refused at once, uncharged, with the length that fits', async () => {
  for (const text of ['One.', 'Two.', 'Three.', 'Four.']) expect((await say(text)).status).toBe(200)
  const read = async (path: string) => (await (await sonant.request(path)).json()) as Record<string, unknown>
  const before = await read('/api/v1/balance')
  const text = 'This is a text of two thousand characters. '.repeat(46)
  const fitting: number[] = []
  for (const speed of [1, 0.5]) {
    const error = await expectError(await say(text, { speed }), 504, 'synthesis_failed', 'engine_error')
    fitting.push(charactersIn(error.message))
    // No task of it began.
    const record = await read(`/api/v1/usage/${error.x_relay.request_id}`)
    expect(record).toMatchObject({ status: 'failed', units: 0, duration_ms: null })
  }
  expect(await read('/api/v1/balance')).toEqual(before)
  expect(fitting[0]).toBeWithin(2, 2_000)
  // No request was at that speed: the figure of the probe counts, as in the advice.
  expect(fitting[1]! / charactersIn(packs['en_US-lazy-low']!.advice)).toBeWithin(0.35, 0.65)
  expect((await say('Five.')).status).toBe(200)
})
