/** The Piper engine with transparent models, whose sound encodes their inputs. */
import { afterAll, describe, expect, it } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SpeechEngine } from '../../../src/speech/engine'
import type { VoiceSpec } from '../../../src/speech/voice'
import { loadPiper } from '../../../src/speech/engines/piper'
import { parsePiperConfig } from '../../../src/speech/models/piper-config'
import { openRuntime } from '../../../src/speech/onnx/runtime'
import { loadPhonemizer } from '../../../src/speech/phonemes/espeak'
import { readPiper } from '../../../src/speech/phonemes/piper'
import { decodePiper, piperConfig, type PiperModel, piperModel, writePiperPack } from '../../onnx/piper'
import { createGraph } from '../../onnx/graph'
import { pinyinIds } from '../phonemes/pinyin-ids'

const home = mkdtempSync(join(tmpdir(), 'sonant-piper-'))
afterAll(() => rmSync(home, { recursive: true }))
const runtime = await openRuntime({ directory: home, provider: 'cpu', threads: 1 })
const phonemizer = loadPhonemizer()

let packs = 0
async function load(model: PiperModel = {}, changes: Readonly<Record<string, unknown>> = {}): Promise<SpeechEngine> {
  const config = piperConfig(changes)
  return loadPiper(await writePiperPack(join(home, String(packs++)), { model: piperModel(model), config }), runtime)
}

const voice = (speaker?: number): VoiceSpec => ({
  id: 'test',
  engine: 'piper',
  language: 'en-US',
  sampleRate: 22_050,
  settings: { voice: 'test', ...(speaker !== undefined && { speaker }) },
})

async function idsOf(text: string, changes: Readonly<Record<string, unknown>> = {}): Promise<(readonly number[])[]> {
  const { alphabet } = parsePiperConfig(piperConfig(changes), 'test')
  return (await readPiper(text, alphabet, () => phonemizer)).map(({ ids }) => ids)
}

/** Its ids last 0.8 to 4.8 frames of 256 samples, all different, rounded up. */
function unevenModel(): Uint8Array {
  const g = createGraph()
  const ids = g.input('input', 'int64', ['batch', 'phonemes'])
  g.input('input_lengths', 'int64', ['batch'])
  const scales = g.input('scales', 'float32', [3])
  const scale = g.op('Gather', [scales, g.ints([1], [])])
  const count = g.op('Gather', [g.op('Shape', [ids]), g.ints([1], [])])
  const places = g.cast(g.op('Range', [g.ints([0], []), count, g.ints([1], [])]), 'float32')
  const golden = g.op('Mod', [g.op('Mul', [places, g.floats([0.618034], [])]), g.floats([1], [])], { fmod: 1 })
  const lasting = g.op('Add', [g.op('Mul', [golden, g.floats([4], [])]), g.floats([0.8], [])])
  const frames = g.op('Ceil', [g.op('Unsqueeze', [g.op('Mul', [lasting, scale]), g.ints([0, 1])])])
  const total = g.op('Mul', [g.op('ReduceSum', [frames], { keepdims: 0 }), g.floats([256], [])])
  const size = g.op('Concat', [g.ints([1, 1, 1]), g.op('Unsqueeze', [g.cast(total, 'int64'), g.ints([0])])], {
    axis: 0,
  })
  g.output('output', g.op('Expand', [g.floats([0.1], [1, 1, 1, 1]), size]), ['batch', 1, 1, 'time'])
  return g.model()
}

const text = 'It rained, and the whole of the town was asleep. Who would wake it?'

describe('a Piper voice', () => {
  it('feeds the ids sentence by sentence, with a pause in between', async () => {
    const { samples, sampleRate } = await (await load()).synthesize(voice(), text)
    const runs = decodePiper(samples)
    expect(runs.map(({ ids }) => [...ids])).toEqual((await idsOf(text)).map((ids) => [...ids]))
    expect(runs).toHaveLength(2)
    expect(runs[1]!.start - runs[0]!.end).toBe(Math.round(0.25 * 22_050))
    expect([runs[0]!.start, runs[1]!.end, sampleRate]).toEqual([0, samples.length, 22_050])
  })

  it('feeds the scales of its configuration and applies the speed itself', async () => {
    const inference = { noise_scale: 0.25, length_scale: 1.5, noise_w: 0.5 }
    const engine = await load({ frames: 4, durations: 'none' }, { inference })
    const normal = await engine.synthesize(voice(), text)
    expect(decodePiper(normal.samples)[0]).toMatchObject({ noiseScale: 0.25, lengthScale: 1.5, noiseWidth: 0.5 })
    expect(normal.speed).toBe(1)
    const fast = await engine.synthesize(voice(), text, { speed: 2 })
    const [first, second] = decodePiper(fast.samples)
    expect(first).toMatchObject({ noiseScale: 0.25, lengthScale: 0.75, noiseWidth: 0.5 })
    expect(fast.speed).toBe(2)
    expect(second!.start - first!.end).toBe(Math.round(0.125 * 22_050))
    expect(Math.abs(fast.samples.length - normal.samples.length / 2)).toBeLessThan(2)
  })

  it('reports the applied speed when its graph rounds every duration up', async () => {
    const directory = join(home, String(packs++))
    const files = await writePiperPack(directory, { model: unevenModel(), config: piperConfig({ hop_length: 256 }) })
    const engine = await loadPiper(files, runtime)
    const long = Array(4).fill(text).join(' ')
    const usual = await engine.synthesize(voice(), long)
    expect(usual.speed).toBe(1)
    for (const speed of [0.5, 0.75, 1.5, 2]) {
      const { samples, speed: done } = await engine.synthesize(voice(), long, { speed })
      const pauses = 7 * 0.25 * 22_050
      const actual = (usual.samples.length - pauses) / (samples.length - pauses / speed)
      expect(Math.abs(actual / speed - 1)).toBeGreaterThan(0.02)
      expect(Math.abs(done! / actual - 1)).toBeLessThan(0.03)
    }
  })

  it('speaks with the requested speaker only', async () => {
    const engine = await load({ speakers: 3 }, { num_speakers: 3 })
    const speakerOf = async (spec: VoiceSpec) =>
      decodePiper((await engine.synthesize(spec, 'Hello.')).samples)[0]!.speaker
    expect(await speakerOf(voice(2))).toBe(2)
    expect(await speakerOf(voice(1))).toBe(1)
    expect(await speakerOf(voice())).toBe(0)
    await expect(engine.synthesize(voice(3), 'Hello.')).rejects.toThrow('there is no speaker 3; the model has 3')
    await expect(engine.synthesize(voice(-1), 'Hello.')).rejects.toThrow('there is no speaker -1')
  })

  it('feeds the language to a graph with a language input', async () => {
    for (const languageInput of ['langid', 'lid']) {
      const engine = await load({ languageInput }, { language_id_map: { zh: 3, en: 7 } })
      expect(decodePiper((await engine.synthesize(voice(), 'Hello.')).samples)[0]!.speaker).toBe(-1 + 7)
    }
  })

  for (const durations of ['inner', 'output'] as const)
    it(`times its words by durations that are an ${durations} value of the graph`, async () => {
      const hop = 256
      const engine = await load({ hop, durations, frames: 2 }, { hop_length: hop })
      const { samples, words } = await engine.synthesize(voice(), text)
      expect(words!.map((word) => word.text)).toEqual([
        ...['It', 'rained', 'and', 'the', 'whole', 'of the', 'town', 'was', 'asleep', 'Who', 'would', 'wake', 'it'],
      ])
      const [first, second] = decodePiper(samples)
      const map = piperConfig()['phoneme_id_map'] as Record<string, number[]>
      // "rained" is ɹˈeɪnd: its six phonemes with their pads, behind the header, ^ _, and "ɪt" with a space.
      const cell = (index: number) => (first!.start + (7 + index) * 2 * hop) / 22_050
      const start = first!.ids.indexOf(map['ɹ']![0]!)
      expect(words![1]!.startSeconds).toBeCloseTo(cell(start), 6)
      expect(words![1]!.endSeconds).toBeCloseTo(cell(start + 12), 6)
      expect(words![9]!.startSeconds).toBeGreaterThan(second!.start / 22_050)
      for (const [index, { startSeconds, endSeconds }] of words!.entries()) {
        expect(endSeconds).toBeGreaterThan(startSeconds)
        if (index > 0) expect(startSeconds).toBeGreaterThanOrEqual(words![index - 1]!.endSeconds)
      }
      expect(words!.at(-1)!.endSeconds).toBeLessThanOrEqual(samples.length / 22_050)
    })

  it('times the words of faster speech correctly', async () => {
    const engine = await load({ hop: 256, frames: 4 }, { hop_length: 256 })
    const [slow, fast] = [await engine.synthesize(voice(), text), await engine.synthesize(voice(), text, { speed: 2 })]
    expect(fast.words!.at(-1)!.endSeconds).toBeCloseTo(slow.words!.at(-1)!.endSeconds / 2, 2)
  })

  it('returns no word times without durations or with false ones', async () => {
    const silent = await load({ durations: 'none' })
    expect((await silent.synthesize(voice(), text)).words).toBeUndefined()
    const wrong = await load({ hop: 2 }, { hop_length: 3 })
    expect((await wrong.synthesize(voice(), text)).words).toBeUndefined()
  })

  it('gives the same samples every time, although its graph draws random numbers', async () => {
    const [one, other] = [await load({ noise: 2e-5 }), await load({ noise: 2e-5 })]
    const plain = await (await load()).synthesize(voice(), text)
    const first = await one.synthesize(voice(), text)
    expect(first.samples).not.toEqual(plain.samples)
    await one.synthesize(voice(), 'Something else, and longer than that was, by far.')
    expect((await one.synthesize(voice(), text)).samples).toEqual(first.samples)
    expect((await other.synthesize(voice(), text)).samples).toEqual(first.samples)
    expect(decodePiper(first.samples).map(({ ids }) => ids)).toEqual(decodePiper(plain.samples).map(({ ids }) => ids))
  })

  it('fails for a text without phonemes instead of returning silence', async () => {
    const engine = await load()
    for (const nothing of ['', ' ', '...', '"', '…'])
      await expect(engine.synthesize(voice(), nothing)).rejects.toThrow('cannot say any part of the text')
  })

  it('fails when its graph returns NaN', async () => {
    for (const constant of [NaN, Infinity, -Infinity])
      await expect((await load({ constant })).synthesize(voice(), 'Hello.')).rejects.toThrow('not finite')
  })

  it('feeds letters or pinyin syllables to voices trained on them', async () => {
    const letters = {
      phoneme_type: 'text',
      phoneme_id_map: { _: [0], '^': [1], $: [2], h: [5], é: [6], e: [7], '\u0301': [8] },
    }
    const spoken = await (await load({}, letters)).synthesize(voice(), 'hé, ho')
    expect(decodePiper(spoken.samples)[0]!.ids).toEqual([1, 0, 5, 0, 7, 0, 8, 0, 5, 0, 2])
    const pinyin = {
      phoneme_type: 'pinyin',
      espeak: { voice: 'cmn' },
      language: { code: 'zh_CN' },
      phoneme_id_map: Object.fromEntries(pinyinIds),
    }
    const [run] = decodePiper((await (await load({}, pinyin)).synthesize(voice(), '你好。')).samples)
    expect(run!.ids.slice(0, 6)).toEqual([1, 0, ...['n', 'i', '3'].map((symbol) => pinyinIds.get(symbol)![0]!), 0])
  })
})

describe('several texts in one run', () => {
  const texts = ['One.', 'It rained, and the town was asleep. Who would wake it?', 'Yes!']

  it('sound as in unbatched runs', async () => {
    const engine = await load({ hop: 4 }, { hop_length: 4 })
    const together = await engine.synthesizeBatch!(voice(), texts, { speed: 1 })
    expect(together).toHaveLength(3)
    for (const [index, one] of texts.entries()) {
      const alone = await engine.synthesize(voice(), one, { speed: 1 })
      expect(together[index]!.samples).toEqual(alone.samples)
      expect(together[index]!.words).toEqual(alone.words)
    }
  })

  it('are refused by a graph without durations', async () => {
    expect((await load({ durations: 'none' })).synthesizeBatch).toBeUndefined()
  })

  it('fail together when the durations of the graph are impossible', async () => {
    const engine = await load({ hop: 2 }, { hop_length: 3 })
    await expect(engine.synthesizeBatch!(voice(), texts, { speed: 1 })).rejects.toThrow(
      'no durations for the sentences',
    )
  })
})
