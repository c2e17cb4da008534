import { beforeAll, describe, expect, it } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadHeart, loadHibari } from '../../../src/speech/engines/hibari'
import { NothingToSay } from '../../../src/speech/engine'
import { takeSnapshot } from '../../../src/speech/models/snapshot'
import { openRuntime, type Runtime } from '../../../src/speech/onnx/runtime'
import type { Accent } from '../../../src/speech/phonemes/english/data'
import type { VoiceSpec } from '../../../src/speech/voice'
import { decodeHibari, type HibariModel, hibariModel } from '../../onnx/hibari'
import { kokoroVocabulary, writePack } from '../models/style-packs'
import { describeWithAsset } from '../../tools'

let runtime: Runtime
beforeAll(async () => {
  runtime = await openRuntime({ directory: mkdtempSync(join(tmpdir(), 'sonant-ort-')), provider: 'cpu', threads: 1 })
})

/** Reads every letter as itself. */
const spellingReader =
  (openedAs: Accent[] = []) =>
  async (_: Runtime, accent: Accent) => {
    openedAs.push(accent)
    return {
      async read(text: string) {
        const parts = [...text.matchAll(/[\p{L}']+|[^\s\p{L}]/gu)].map(({ 0: found, index }) => ({
          start: index,
          end: index + found.length,
          phonemes: found.toLowerCase(),
          isWord: /\p{L}/u.test(found),
          spaceAfter: text[index + found.length] === ' ',
        }))
        return { parts, phonemes: parts.map(({ phonemes }) => phonemes).join('') }
      },
    }
  }

async function load(options: HibariModel = {}, graph = 'hibari.onnx', openedAs?: Accent[]) {
  const directory = writePack({ [graph]: hibariModel(options), 'vocab.json': JSON.stringify(kokoroVocabulary) })
  const { version } = (await takeSnapshot(directory))!
  return loadHibari({ directory, graph, version, memoryBytes: 0 }, runtime, spellingReader(openedAs))
}

const voice: VoiceSpec = {
  id: 'hibari-heart',
  engine: 'hibari',
  language: 'en-US',
  sampleRate: 24_000,
  settings: { voice: 'af_heart' },
}
const symbolOf = new Map(Object.entries(kokoroVocabulary).map(([symbol, id]) => [id, symbol]))
const symbols = (ids: readonly number[]) => ids.map((id) => symbolOf.get(id) ?? `<${id}>`).join('')

describe('Hibari', () => {
  it('feeds the symbols between zeros, without those that the vocabulary lacks', async () => {
    const engine = await load()
    const { samples, sampleRate, speed } = await engine.synthesize(voice, 'A small [fox], too.')
    expect(symbols(decodeHibari(samples))).toBe('<0>a small fox, too.<0>')
    expect([sampleRate, speed]).toEqual([24_000, 1])
  })

  it('gives the same samples every time, whatever was said before', async () => {
    const [one, other] = [await load(), await load()]
    const { samples } = await one.synthesize(voice, 'Out and about.')
    await other.synthesize(voice, 'Something else.')
    expect((await other.synthesize(voice, 'Out and about.')).samples).toEqual(samples)
  })

  it('gives the same samples whether the graph gives spectra in one value or in several', async () => {
    const [split, separate] = [await load({ isSplit: true }), await load()]
    const sound = await split.synthesize(voice, 'One or five.')
    expect(sound).toEqual(await separate.synthesize(voice, 'One or five.'))
    expect(sound.words).toHaveLength(3)
  })

  it('cuts texts of more than 400 symbols at marks and words', async () => {
    const engine = await load()
    const [clause, rest] = ['so it went on and on and on, '.repeat(13).trim(), 'word '.repeat(40).trim()]
    const { samples, words } = await engine.synthesize(voice, `${clause} ${rest}.`)
    const said = symbols(decodeHibari(samples)).split('<0><0>')
    expect(said).toEqual([`<0>${clause}`, `${rest}.<0>`])
    expect(words).toHaveLength(13 * 8 + 40)
    const starts = words!.map(({ startSeconds }) => startSeconds)
    expect(starts).toEqual(starts.toSorted((a, b) => a - b))
    expect(words!.at(-1)!.endSeconds).toBeLessThanOrEqual(samples.length / 24_000)
  })

  it('times words by the durations of their symbols', async () => {
    const { words } = await (await load()).synthesize(voice, "Don't stop, now.")
    // 3 units of 25 ms for each symbol; the sound begins one unit early; a blank belongs to both of its neighbours.
    const unit = 0.025
    const expected = [
      ["Don't", 3 - 1, 3 + 4 * 3 - 1 + 1.5],
      ['stop', 3 + 5 * 3 - 1 - 1.5, 3 + 9 * 3 - 1],
      ['now', 3 + 11 * 3 - 1 - 1.5, 3 + 14 * 3 - 1],
    ] as const
    expect(words!.map(({ text }) => text)).toEqual(expected.map(([text]) => text))
    for (const [at, [, start, end]] of expected.entries()) {
      expect(words![at]!.startSeconds).toBeCloseTo(start * unit, 5)
      expect(words![at]!.endSeconds).toBeCloseTo(end * unit, 5)
    }
  })

  it('has no word times, but the same sound, if the graph does not tell durations', async () => {
    const [hidden, told] = [await load({ timesIds: false }), await load()]
    const one = await hidden.synthesize(voice, 'No times.')
    expect(one.words).toBeUndefined()
    expect(one.speed).toBe(1)
    expect(one.samples).toEqual((await told.synthesize(voice, 'No times.')).samples)
  })

  it('speaks slowly by the graph and says what it applied, and leaves fast speech to the pipeline', async () => {
    const engine = await load()
    const usual = await engine.synthesize(voice, 'Slow down.')
    for (const speed of [0.5, 0.75]) {
      const slow = await engine.synthesize(voice, 'Slow down.', { speed })
      // 3.3 units become 7 of 6.6, and 4 of 4.4.
      expect(slow.speed).toBeCloseTo(usual.samples.length / slow.samples.length, 10)
    }
    for (const speed of [1.01, 1.5, 2]) {
      const fast = await engine.synthesize(voice, 'Slow down.', { speed })
      expect([fast.speed, fast.samples.length]).toEqual([1, usual.samples.length])
    }
  })

  it('opens the reader of the accent that the name of the file gives', async () => {
    const openedAs: Accent[] = []
    await load({}, 'hibari.onnx', openedAs)
    await load({}, 'bm_fable.int8.onnx', openedAs)
    expect(openedAs).toEqual(['american', 'british'])
  })

  it('has nothing to say for texts without a known symbol, and fails on numbers that are not finite', async () => {
    const engine = await load()
    for (const text of ['', '...', 'Привет']) await expect(engine.synthesize(voice, text)).rejects.toThrow(NothingToSay)
    const broken = await load({ level: NaN })
    await expect(broken.synthesize(voice, 'Hello.')).rejects.toThrow('not finite')
  })

  it('fails when the spectra have another height than their format', async () => {
    const broken = await load({ bins: 513 })
    await expect(broken.synthesize(voice, 'Hello.')).rejects.toThrow('spectra of different lengths')
  })
})

describeWithAsset('hibari', 'the real Heart', (folder) => {
  it('is the same voice built in, where the build has optimized its graph, as from its own file', async () => {
    const directory = join(folder, 'hibari/assets')
    const { version } = (await takeSnapshot(directory))!
    const installed = await loadHibari({ directory, graph: 'hibari.onnx', version, memoryBytes: 0 }, runtime)
    const builtIn = await loadHeart(async () => runtime)
    for (const speed of [1, 0.7]) {
      const text = 'Mrs Qwyzlek read the record, twice.'
      expect(await builtIn.synthesize(voice, text, { speed })).toEqual(
        await installed.synthesize(voice, text, { speed }),
      )
    }
  })
})
