/** The memory limit for models: a model above it is refused by name, others take turns, and idle ones are unloaded. */
import { afterAll, beforeAll, expect, it, setDefaultTimeout } from 'bun:test'
import { auditDifference } from './books'
import { startEphemeral, stopAndRemove, type EphemeralSonant } from './sonant'
import { dropTones, hear, packsTried, type PackItem } from './voice-packs'
import { until } from '../until'

setDefaultTimeout(120_000)

const budgetBytes = 256 << 20
const idleSeconds = 4
/** With these parameters the estimate is 64 MB and half as much again. */
const halfBytes = 80e6
const names = ['en_US-first-low', 'en_US-second-low']
const text = 'The cat sat down.'

let sonant: EphemeralSonant
let packs: Readonly<Record<string, PackItem>>
beforeAll(async () => {
  const flags = ['--model-memory-bytes', String(budgetBytes), '--model-idle-seconds', String(idleSeconds)]
  sonant = await startEphemeral({ flags: [...flags, '--workers', '2'] })
  await dropTones(sonant.dataDirectory, 'en_US-huge-low', { ballastBytes: 160e6 })
  for (const name of names) await dropTones(sonant.dataDirectory, name, { ballastBytes: halfBytes })
  packs = await packsTried(sonant, [...names, 'en_US-huge-low'], sonant.adminKey)
})
afterAll(() => stopAndRemove(sonant))

type Model = { name: string; processes: number; memory_bytes: number }
const models = async () => (await sonant.admin('/compute')).models as Model[]

it('a model above the limit is refused in advance, by name', () => {
  expect(packs['en_US-huge-low']).toMatchObject({
    state: 'refused',
    reason: 'en_US-huge-low.onnx needs about 305 MB of memory; at most 269 MB are allowed',
  })
})

it('two models above the limit together take turns, and requests for either are answered', async () => {
  const needed = names.map((name) => packs[name]!.expected_memory_bytes as number)
  expect(needed[0]! + needed[1]!).toBeGreaterThan(budgetBytes)
  const voices = names.map((name) => packs[name]!.voices[0]!)
  let most = 0
  let done = false
  const watching = (async () => {
    while (!done) {
      most = Math.max(most, (await models()).length)
      await Bun.sleep(20)
    }
  })()
  const spoken = await Promise.all([...voices, ...voices].map((voice) => hear(sonant, { text, voice_id: voice })))
  done = true
  await watching
  expect(spoken.map(({ answer }) => answer.voice_id)).toEqual([...voices, ...voices])
  expect(spoken[2]!.audio).toEqual(spoken[0]!.audio)
  expect(most).toBe(1)
  expect(sonant.log()).toContain('"reason":"to make room"')
  expect(auditDifference(sonant.dataDirectory)).toBeUndefined()
})

it('a loaded model is listed with its memory, and unloaded when idle', async () => {
  const [loaded] = await models()
  expect(loaded!.name).toMatch(/en_US-(first|second)-low\.onnx$/)
  expect(loaded!.memory_bytes).toBeGreaterThan(halfBytes)
  await until(async () => (await models()).length === 0)
  expect(sonant.log()).toContain('"reason":"not used"')
})
