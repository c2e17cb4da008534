/** VITS packs on disk: reading, probing and synthesis. The graphs return their inputs as audio. */
import { afterAll, describe, expect, it } from 'bun:test'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDeadline } from '../../src/deadline'
import { createLogger } from '../../src/log'
import { readCatalogue } from '../../src/voice/catalogue'
import { NothingToSay, type SpeechEngine } from '../../src/speech/engine'
import type { VoiceSpec } from '../../src/speech/voice'
import { loadVits } from '../../src/speech/engines/vits'
import { openPackFolder } from '../../src/speech/models/folder'
import { BadPack } from '../../src/speech/models/pack'
import { probePack } from '../../src/packs/probe'
import { probeText } from '../../src/packs/probe-texts'
import { readVitsPack } from '../../src/speech/models/vits'
import { takeSnapshot } from '../../src/speech/models/snapshot'
import { openRuntime } from '../../src/speech/onnx/runtime'
import { createScheduler } from '../../src/workers/scheduler'
import { render } from '../../src/speak/render'
import { decodeVits, vitsModel, type VitsHeard, type VitsShape } from '../onnx/vits'
import { modelOptions } from './model-options'

const directory = await mkdtemp(join(tmpdir(), 'sonant-vits-'))
const runtime = await openRuntime({ directory, provider: 'cpu', threads: 1 })
afterAll(() => rm(directory, { recursive: true }))

type Files = Record<string, string | Uint8Array>

const chinese = { model_type: 'vits', comment: 'fanchen', language: 'Chinese', n_speakers: 1, sample_rate: 16_000 }
const tokens = '_ 0\n， 1\n。 2\nn 3\ni3 4\nh 5\nao3 6\nia5 7\n'
const lexicon = '你 n i3\n好 h ao3\n你好 h h\n呀 ia5\nok n n\na h\nb n\n坏 x9\n'

function chinesePack({ metadata, ...shape }: VitsShape = {}): Files {
  const model = vitsModel({ ...shape, metadata: { ...chinese, punctuation: '， 。', ...metadata } })
  return { 'model.onnx': model, 'tokens.txt': tokens, 'lexicon.txt': lexicon }
}

let count = 0
async function write(files: Files, name = `vits-zh-test-${count++}`): Promise<string> {
  const folder = join(directory, name)
  await mkdir(folder)
  for (const [file, content] of Object.entries(files)) await Bun.write(join(folder, file), content)
  return folder
}

const read = async (files: Files, name?: string) => readVitsPack(await openPackFolder(await write(files, name)))

async function refusalOf(files: Files): Promise<string> {
  const error = await read(files).then(
    (content) => new Error(`it was taken: ${JSON.stringify(content)}`),
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(BadPack)
  return (error as BadPack).message
}

async function load(files: Files): Promise<SpeechEngine> {
  const model = { directory: await write(files), graph: 'model.onnx', version: '1', memoryBytes: 1 }
  return loadVits(model, runtime)
}

const spec = (settings: Partial<VoiceSpec['settings']> = {}): VoiceSpec => ({
  id: 'v',
  engine: 'vits',
  language: 'zh',
  sampleRate: 16_000,
  settings: { voice: 'v', ...settings },
})

async function hear(files: Files, text: string, speed = 1, speaker?: number, toned = false): Promise<VitsHeard[]> {
  const engine = await load(files)
  return decodeVits((await engine.synthesize(spec({ speaker }), text, { speed })).samples, toned)
}

describe('loadVits', () => {
  it('feeds ids, scales and the speed', async () => {
    const [run, ...more] = await hear(chinesePack({ hop: 8 }), '呀，你呀', 0.5)
    expect(more).toEqual([])
    expect(run).toMatchObject({ ids: [7, 1, 3, 4, 7], noiseScale: 0.667, lengthScale: 2, noiseWidth: 0.8, speaker: -1 })
  })

  it('reports the speed that it applied, and is deterministic', async () => {
    const engine = await load(chinesePack({ hop: 100 }))
    const speech = await engine.synthesize(spec(), '你好。', { speed: 1.25 })
    expect(speech).toMatchObject({ speed: 1.25, sampleRate: 16_000 })
    expect(speech.samples.length).toBe((7 + 3) * 80)
    expect((await engine.synthesize(spec(), '你好。', { speed: 1.25 })).samples).toEqual(speech.samples)
  })

  it('feeds the speaker of the voice', async () => {
    const pack = chinesePack({ speakers: 3, metadata: { n_speakers: 3 } })
    expect((await hear(pack, '呀', 1, 2))[0]!.speaker).toBe(2)
  })

  it('matches the longest word of the lexicon in lower case, and spells a missing word', async () => {
    expect((await hear(chinesePack(), '你好你OK'))[0]!.ids).toEqual([5, 5, 3, 4, 3, 3])
    expect((await hear(chinesePack(), '你ABZ'))[0]!.ids).toEqual([3, 4, 5, 3])
  })

  it('leaves out text without phonemes, and throws when nothing remains', async () => {
    expect((await hear(chinesePack(), '你坏呀'))[0]!.ids).toEqual([3, 4, 7])
    const engine = await load(chinesePack())
    expect(engine.synthesize(spec(), '坏坏，xyz。')).rejects.toThrow(NothingToSay)
    expect(engine.synthesize(spec(), '。')).rejects.toThrow('cannot say any part of the text')
  })

  it('runs the graph once per sentence, and pauses between them', async () => {
    const runs = await hear(chinesePack(), '你。呀。！你')
    expect(runs.map(({ ids }) => ids)).toEqual([
      [3, 4, 2],
      [7, 2],
      [3, 4],
    ])
    expect(runs[1]!.start).toBe(7 + 3 + 0.25 * 16_000)
    const faster = await hear(chinesePack({ hop: 2 }), '你。呀。', 2)
    expect(faster[1]!.start).toBe(7 + 3 + (0.25 * 16_000) / 2)
  })

  it('puts blanks between ids if the model uses them', async () => {
    expect((await hear(chinesePack({ metadata: { add_blank: 1 } }), '你'))[0]!.ids).toEqual([0, 3, 0, 4, 0])
  })

  it('feeds tones and the speaker of MeloTTS', async () => {
    const metadata = {
      comment: 'melo',
      language: 'Chinese + English',
      jieba: 1,
      add_blank: 1,
      speaker_id: 1,
      version: 2,
    }
    const pack = { ...chinesePack({ layout: 'toned', metadata }), 'lexicon.txt': '你 n i3 4 5\n' }
    const [run] = await hear(pack, '你，', 1, undefined, true)
    expect(run).toMatchObject({ ids: [0, 3, 0, 4, 0, 1, 0], tones: [0, 4, 0, 5, 0, 0, 0], speaker: 1, lengthScale: 1 })
    expect((await hear(pack, '你 constructor', 1, undefined, true))[0]!.ids).toEqual([0, 3, 0, 4, 0])
  })

  it('feeds characters in one tensor of scales', async () => {
    const metadata = {
      comment: 'coqui',
      language: 'English',
      frontend: 'characters',
      bos_id: 8,
      eos_id: 9,
      add_blank: 1,
    }
    const pack = { ...chinesePack({ layout: 'coqui', metadata }), 'tokens.txt': 'h 1\ni 2\n! 3\n' }
    delete (pack as Partial<Files>)['lexicon.txt']
    expect((await hear(pack, 'Hi! é H')).map(({ ids }) => ids)).toEqual([
      [8, 0, 1, 0, 2, 0, 3, 0, 9],
      [8, 0, 1, 0, 9],
    ])
  })
})

describe('probePack', () => {
  const probe = async (files: Files, name?: string) =>
    (await probePack(await write(files, name), { runtime: async () => runtime, memoryMaxBytes: 2e9 })).pack

  it('accepts a pack whose voice speaks', async () => {
    const lines = [...probeText('zh')].map((character) => `${character} n i3\n`)
    const files = { ...chinesePack({ hop: 1000, level: 0.3 }), 'lexicon.txt': lines.join('') + lexicon }
    const pack = await probe(files, 'vits-zh-probed')
    expect(pack).toMatchObject({ family: 'vits', timesWords: false, deterministic: true, sampleRate: 16_000 })
    expect(pack.voices.map(({ id, language }) => [id, language])).toEqual([['zh-probed', 'zh']])
  })

  it('refuses a pack whose lexicon has no word of a sentence in its language', async () => {
    const refused = probe({ ...chinesePack(), 'lexicon.txt': '鼋 n\n' })
    expect(refused).rejects.toThrow('cannot say any part of the text')
  })
})

describe('readVitsPack', () => {
  it('describes one voice per speaker', async () => {
    const pack = chinesePack({ speakers: 3, metadata: { n_speakers: 3, license: 'MIT' } })
    const content = (await read(pack, 'vits-zh-hf-theresa'))!
    expect(content).toMatchObject({ family: 'vits', graph: 'model.onnx', sampleRate: 16_000, license: 'MIT' })
    expect(content.voices.map(({ id }) => id)).toEqual(['zh-hf-theresa-0', 'zh-hf-theresa-1', 'zh-hf-theresa-2'])
    expect(content.voices[2]).toEqual({
      id: 'zh-hf-theresa-2',
      displayName: 'Hf Theresa 2',
      description: null,
      language: 'zh',
      gender: null,
      settings: { voice: 'hf-theresa', speaker: 2 },
    })
  })

  it('knows languages by their English names and by the codes of MMS', async () => {
    const pairs = {
      English: 'en',
      Chinese: 'zh',
      'Chinese + English': 'zh',
      deu: 'de',
      eng: 'en',
      cmn: 'zh',
      'pt-BR': 'pt-BR',
      Cantonese: 'yue',
    }
    for (const [name, code] of Object.entries(pairs)) {
      const metadata = { language: name, frontend: 'characters' }
      expect((await read(chinesePack({ metadata })))!.voices[0]!.language, name).toBe(code)
    }
  })

  it('ignores packs of other model families', async () => {
    const { 'model.onnx': model } = chinesePack()
    expect(await read({ 'model.onnx': model! })).toBeUndefined()
    expect(await read({ ...chinesePack(), 'model.onnx.json': '{}' })).toBeUndefined()
    expect(await read({ ...chinesePack(), 'voices.bin': 'x' })).toBeUndefined()
    expect(await read(chinesePack({ metadata: { model_type: 'matcha-tts' } }))).toBeUndefined()
    expect(await read(chinesePack({ metadata: { comment: 'piper' } }))).toBeUndefined()
  })

  it('refuses a pack that cannot speak, and states the reason', async () => {
    const { 'lexicon.txt': _, ...withoutLexicon } = chinesePack()
    expect(await refusalOf(withoutLexicon)).toBe('lexicon.txt is missing')
    for (const audioType of ['float16', 'int64'] as const)
      expect(await refusalOf(chinesePack({ audioType }))).toContain(`its samples are ${audioType}, not float32`)
    expect(await refusalOf({ ...chinesePack(), 'tokens.txt': 'a b c\n' })).toContain('one symbol and its id per line')
    expect(await refusalOf({ ...chinesePack(), 'tokens.txt': '' })).toContain('one symbol and its id per line')
    expect(await refusalOf({ ...chinesePack(), 'lexicon.txt': '你 x9\n' })).toContain('lexicon.txt has no word')
    expect(await refusalOf(chinesePack({ metadata: { sample_rate: '16k' } }))).toContain('sample_rate: 16k')
    expect(await refusalOf(chinesePack({ metadata: { language: 'Klingonese', frontend: 'characters' } }))).toContain(
      'language: Klingonese',
    )
    expect(await refusalOf(chinesePack({ metadata: { n_speakers: 4 } }))).toContain(
      '4 speakers, but the graph has no speaker input',
    )
    expect(await refusalOf(chinesePack({ metadata: { comment: 'coqui' } }))).toContain("eSpeak NG's phonemes")
    expect(await refusalOf(chinesePack({ metadata: { language: 'English' } }))).toContain('tokens.txt has no blank')
    expect(await refusalOf(chinesePack({ metadata: { comment: 'melo', jieba: 1 } }))).toContain('VITS model with tones')
  })
})

describe('in a worker process', () => {
  const scheduler = createScheduler({
    command: [process.execPath, join(import.meta.dir, '../../src/main.ts'), 'worker'],
    workers: 1,
    taskTimeoutMs: 20_000,
    workerMemoryMaxBytes: 1 << 30,
    jobsMax: 10,
    horizonMs: 60_000,
    models: modelOptions,
    log: createLogger('silent'),
  })
  afterAll(() => scheduler.close())

  async function say(voice: VoiceSpec, text: string) {
    const job = scheduler.openJob({ key: 'test', background: false })
    const [letters, symbols] = [/\p{L}/gu, /\p{S}/gu].map((kind) => text.match(kind)?.length ?? 0) as [number, number]
    const request = { kind: 'synthesize', voice, text, letters, symbols, pauseMs: 100, speed: 1 } as const
    const { chunks } = await job.synthesize({ ...request, sampleRate: 16_000 }).finally(() => job.end())
    return chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  }

  it('leaves out a sign that the voice cannot say but fails on a word, and keeps the model loaded', async () => {
    const directory = await write(chinesePack({ hop: 1000, level: 0.3 }))
    const { version } = (await takeSnapshot(directory))!
    const voice = { ...spec(), model: { directory, graph: 'model.onnx', version, memoryBytes: 1 } }
    const frames = await say(voice, '你好。')
    expect(frames).toBeGreaterThan(5000)
    await rm(directory, { recursive: true })
    expect(await say(voice, '🎉。')).toBe(1600)
    const german = { ...voice, language: 'de' }
    const request = { text: '🎉', voice: german, fallbackVoiceFor: () => german, speed: 1, format: 'wav' } as const
    const options = { mp3SampleRate: undefined, queueKey: 'test', deadline: startDeadline(20_000) }
    expect((await render(scheduler, { ...request, ...options }, { async write() {} })).audioMs).toBe(300)
    await expect(say(voice, '坏。')).rejects.toThrow('cannot say any part of the text')
    const catalogue = readCatalogue()
    const fallbackVoiceFor = (script: string) => catalogue.fallbackVoiceFor(catalogue.voices[0]!, script)
    const mixed = { ...request, ...options, text: '你好。坏。', voice, fallbackVoiceFor }
    expect((await render(scheduler, mixed, { async write() {} })).audioMs).toBeGreaterThan(
      500 + (frames / 16_000) * 1000,
    )
    expect(await say(voice, '你好。')).toBe(frames)
  }, 30_000)
})
