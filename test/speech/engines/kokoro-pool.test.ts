/** Kokoro and KittenTTS end to end, from the pack's folder to the sound of a worker process. */
import { afterAll, expect, it, setDefaultTimeout } from 'bun:test'
import { join } from 'node:path'
import { createLogger } from '../../../src/log'
import type { VoiceSpec } from '../../../src/speech/voice'
import { readPack } from '../../../src/packs/read-pack'
import { createScheduler } from '../../../src/workers/scheduler'
import { brokenStyleModel, styleRows, timedStyleModel } from '../../onnx/kokoro'
import { modelOptions } from '../../workers/model-options'
import { bytesOf, type Files, hexgradPack, kittenPack, writePack } from '../models/style-packs'

setDefaultTimeout(60_000)

const scheduler = createScheduler({
  command: [process.execPath, join(import.meta.dir, '../../../src/main.ts'), 'worker'],
  workers: 2,
  taskTimeoutMs: 60_000,
  workerMemoryMaxBytes: 1 << 30,
  jobsMax: 10,
  horizonMs: 60_000,
  models: modelOptions,
  log: createLogger('silent'),
})
afterAll(() => scheduler.close())

async function firstVoice(files: Files): Promise<VoiceSpec> {
  const { family, model, sampleRate, voices } = await readPack(writePack(files))
  const { id, language, settings } = voices[0]!
  return { id, engine: family as 'kokoro' | 'kitten', language, sampleRate, settings, model }
}

async function say(voice: VoiceSpec, text: string, speed: number) {
  const job = scheduler.openJob({ key: 'test', background: false })
  try {
    const letters = text.match(/\p{L}/gu)!.length
    const request = { kind: 'synthesize', voice, text, letters, symbols: 0, pauseMs: 0 } as const
    const { chunks, words } = await job.synthesize({ ...request, sampleRate: voice.sampleRate, speed })
    const frames = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
    return { seconds: frames / voice.sampleRate, words }
  } finally {
    job.end()
  }
}

const text = 'The river runs to the sea, and the ships come home.'

it.each([
  ['Kokoro, which speaks faster itself', { ...hexgradPack, 'kokoro.onnx': timedStyleModel() }],
  ['Kokoro with a speed that is a whole number', hexgradPack],
  ['KittenTTS', { ...kittenPack, 'kitten_tts_nano_v0_8.onnx': timedStyleModel() }],
])('%s speaks at the requested speed with matching word times', async (_, files) => {
  const voice = await firstVoice(files)
  const plain = await say(voice, text, 1)
  const fast = await say(voice, text, 1.6)
  // Token lengths are whole units, and KittenTTS drops the same tail at every speed.
  expect(plain.seconds / fast.seconds).toBeWithin(1.4, 1.8)
  for (const { seconds, words } of [plain, fast]) {
    expect(words!.map((word) => word.text).join(' ')).toBe('The river runs to the sea and the ships come home')
    expect(words!.at(-1)!.endSeconds).toBeWithin(0.85 * seconds, seconds + 0.001)
  }
})

it('fails in the engine when the graph returns NaN', async () => {
  const voice = await firstVoice({ ...hexgradPack, 'kokoro.onnx': brokenStyleModel() })
  await expect(say(voice, text, 1)).rejects.toMatchObject({ stage: 'synthesize' })
})

it('fails when a style was replaced after its model was loaded', async () => {
  const voice = await firstVoice({ ...hexgradPack, 'kokoro.onnx': timedStyleModel() })
  const george = { ...voice, id: 'george', settings: { voice: 'bm_george' } }
  await say(voice, text, 1)
  await Bun.write(join(voice.model!.directory, 'voices/bm_george.bin'), bytesOf(styleRows(2)))
  await expect(say(george, text, 1)).rejects.toThrow('have changed')
})
