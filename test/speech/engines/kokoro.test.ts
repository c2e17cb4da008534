import { beforeAll, describe, expect, it } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NothingToSay, type SpeechEngine } from '../../../src/speech/engine'
import type { ModelFiles, VoiceSpec } from '../../../src/speech/voice'
import { loadKitten } from '../../../src/speech/engines/kitten'
import { loadKokoro } from '../../../src/speech/engines/kokoro'
import { takeSnapshot } from '../../../src/speech/models/snapshot'
import { openRuntime, type Runtime } from '../../../src/speech/onnx/runtime'
import { loadPhonemizer, type Phonemizer } from '../../../src/speech/phonemes/espeak'
import { type Accent, openEnglishData } from '../../../src/speech/phonemes/english/data'
import { createEnglishReader } from '../../../src/speech/phonemes/english/reader'
import { toMisaki } from '../../../src/speech/phonemes/misaki'
import {
  brokenStyleModel,
  decodeRuns,
  idOf,
  styleModel,
  styleRows,
  timedStyleModel,
  unitSamples,
} from '../../onnx/kokoro'
import {
  bytesOf,
  type Files,
  hexgradPack,
  kittenPack,
  kokoroOnnxPack,
  kokoroVocabulary,
  onnxCommunityPack,
  sherpaKittenPack,
  sherpaPack,
  writePack,
} from '../models/style-packs'
import { compileFiles, tinyAssets } from '../phonemes/english/tiny-data'
import { describeWith } from '../../tools'

let runtime: Runtime
let phonemizer: Phonemizer
beforeAll(async () => {
  runtime = await openRuntime({ directory: mkdtempSync(join(tmpdir(), 'sonant-ort-')), provider: 'cpu', threads: 1 })
  phonemizer = await loadPhonemizer()
})

const graphOf = (files: Files) => Object.keys(files).find((name) => name.endsWith('.onnx'))!
async function modelOf(files: Files): Promise<ModelFiles> {
  const directory = writePack(files)
  const { version } = (await takeSnapshot(directory))!
  return { directory, graph: graphOf(files), version, memoryBytes: 0 }
}
const kokoro = async (files: Files) => loadKokoro(await modelOf(files), runtime, null)
const kitten = async (files: Files) => loadKitten(await modelOf(files), runtime)
const voice = (style: string): VoiceSpec => ({
  id: style,
  engine: 'kokoro',
  language: 'en-US',
  sampleRate: 24_000,
  settings: { voice: style },
})

/** Token of each id. */
const symbolOf = new Map(Object.entries(kokoroVocabulary).map(([symbol, id]) => [id, symbol]))
const read = (ids: readonly number[]) => ids.map((id) => symbolOf.get(id) ?? `<${id}>`).join('')

async function say(engine: SpeechEngine, style: string, text: string, speed = 1) {
  const speech = await engine.synthesize(voice(style), text, { speed })
  return { ...speech, runs: decodeRuns(speech.samples) }
}

describe('Kokoro', () => {
  it.each([
    ['of onnx-community', onnxCommunityPack],
    ['of sherpa-onnx', sherpaPack],
    ['of kokoro-onnx', kokoroOnnxPack],
  ])('%s feeds ids between zeros, the style row for their number, and the speed', async (_, files) => {
    const engine = await kokoro(files)
    const { runs, speed, sampleRate } = await say(engine, 'af_heart', 'Hello, little world!', 1.25)
    const text = 'həlˈO, lˈɪTᵊl wˈɜɹld!'
    expect(runs).toHaveLength(1)
    expect(read(runs[0]!.ids)).toBe(`<0>${text}<0>`)
    expect(runs[0]).toMatchObject({ row: [...text].length - 1, speaker: 0, speed: 1.25 })
    expect({ speed, sampleRate }).toEqual({ speed: 1.25, sampleRate: 24_000 })
  })

  it('speaks with the style, accent and language of each voice', async () => {
    const engine = await kokoro(onnxCommunityPack)
    const british = await say(engine, 'bm_george', 'Go home, chair.')
    expect(british.runs[0]!.speaker).toBe(1)
    expect(read(british.runs[0]!.ids)).toBe('<0>ɡˌQ hˈQm, ʧˈɛː.<0>')
    const french = await say(engine, 'ff_siwis', '« Bonjour » (un bon vin).')
    expect(french.runs[0]!.speaker).toBe(2)
    expect(read(french.runs[0]!.ids)).toBe('<0>“ bɔ̃ʒˈuʁ ” (œ̃ bˈɔ̃ vˈɛ̃).<0>')
  })

  it('speaks Mandarin with embedded English words with Mandarin voices', async () => {
    const style = onnxCommunityPack['voices/af_heart.bin']!
    const engine = await kokoro({ ...onnxCommunityPack, 'voices/zf_xiaobei.bin': style })
    const { runs } = await say(engine, 'zf_xiaobei', '你好，world。')
    expect(read(runs[0]!.ids)).toBe('<0>ni↓xau↓, wˈɜɹld .<0>')
  })

  it('drops unknown tokens, and opens and closes quotation marks', async () => {
    const engine = await kokoro(onnxCommunityPack)
    const { runs } = await say(engine, 'af_heart', '"Go [home]" — he said…')
    expect(read(runs[0]!.ids)).toBe('<0>“ɡˈO hˈOm” — hi sˈɛd…<0>')
  })

  it('detects v0.19 by its vocabulary and feeds it eSpeak NG’s IPA', async () => {
    const ipa = Object.fromEntries([...' .,həloʊwɜːldˈɪɾ'].map((symbol, index) => [symbol, index + 1]))
    const engine = await kokoro({ ...onnxCommunityPack, 'tokenizer.json': JSON.stringify({ model: { vocab: ipa } }) })
    const { runs } = await say(engine, 'af_heart', 'Hello world.')
    const symbols = new Map(Object.entries(ipa).map(([symbol, id]) => [id, symbol]))
    expect(runs[0]!.ids.map((id) => symbols.get(id) ?? '').join('')).toBe('həlˈoʊ wˈɜːld.')
  })

  it('uses the next row when styles have one for zero tokens, as in v0.19', async () => {
    const styles = { 'voices/af.bin': bytesOf(styleRows(0, 511)), 'voices/af_sky.bin': bytesOf(styleRows(1, 512)) }
    const engine = await kokoro({ ...onnxCommunityPack, ...styles })
    const text = [...'ɡˌO hˈOm.']
    expect((await say(engine, 'af', 'Go home.')).runs[0]).toMatchObject({ row: text.length, speaker: 0 })
    expect((await say(engine, 'af_sky', 'Go home.')).runs[0]).toMatchObject({ row: text.length, speaker: 1 })
  })

  it('feeds ids as int32 to a graph with int32 ids', async () => {
    const files = { ...onnxCommunityPack, 'onnx/model.onnx': styleModel({ tokenType: 'int32', hop: 4 }) }
    const { runs } = await say(await kokoro(files), 'af_heart', 'Go.')
    expect(read(runs[0]!.ids)).toBe('<0>ɡˈO.<0>')
  })

  it.each(['int32', 'int64'] as const)(
    'leaves the speed to the pipeline when the graph takes it as %s',
    async (speedType) => {
      const files = { ...onnxCommunityPack, 'onnx/model.onnx': styleModel({ speedType, hop: 4 }) }
      const engine = await kokoro(files)
      const fast = await say(engine, 'af_heart', 'Go home.', 1.5)
      expect(fast.speed).toBe(1)
      expect(fast.runs[0]!.speed).toBe(1)
      expect((await say(engine, 'af_heart', 'Go home.')).samples).toEqual(fast.samples)
    },
  )

  it('speaks a long text in runs of at most 510 tokens, cut at sentence ends, without loss', async () => {
    const engine = await kokoro(onnxCommunityPack)
    const sentence = 'The quick brown fox jumps over the lazy dog, and the river runs to the sea.'
    const { runs } = await say(engine, 'af_heart', Array(12).fill(sentence).join(' '))
    const single = (await say(engine, 'af_heart', sentence)).runs[0]!
    const texts = runs.map(({ ids }) => read(ids.slice(1, -1)))
    expect(runs.length).toBeGreaterThan(1)
    for (const [index, { ids, row }] of runs.entries()) {
      expect(ids.length).toBeLessThanOrEqual(512)
      expect(row).toBe(ids.length - 3)
      expect(texts[index]).toEndWith('.')
    }
    expect(texts.join(' ')).toBe(
      Array(12)
        .fill(read(single.ids.slice(1, -1)))
        .join(' '),
    )
  })

  it('cuts at commas, then at spaces, inside long sentences', async () => {
    const engine = await kokoro(onnxCommunityPack)
    const commas = await say(engine, 'af_heart', Array(60).fill('brown foxes jump').join(', '))
    const cut = commas.runs.map(({ ids }) => read(ids.slice(1, -1)))
    expect(cut.slice(0, -1).every((text) => text.endsWith(','))).toBe(true)
    const blanks = await say(engine, 'af_heart', Array(150).fill('foxes').join(' '))
    const words = blanks.runs.map(({ ids }) => read(ids.slice(1, -1)))
    expect(words.length).toBeGreaterThan(1)
    expect(words.join(' ').split(' ')).toHaveLength(150)
    expect(new Set(words.join(' ').split(' ')).size).toBe(1)
  })

  it('gives the same samples for the same request after any other text', async () => {
    const engine = await kokoro(onnxCommunityPack)
    const first = await say(engine, 'af_heart', 'Good morning, Vietnam.')
    await say(engine, 'ff_siwis', 'Bonjour.')
    await say(engine, 'bm_george', 'Quite something else.')
    expect((await say(engine, 'af_heart', 'Good morning, Vietnam.')).samples).toEqual(first.samples)
  })

  it('fails on samples that are not finite and on an unknown style', async () => {
    const broken = await kokoro({ ...onnxCommunityPack, 'onnx/model.onnx': brokenStyleModel() })
    await expect(broken.synthesize(voice('af_heart'), 'Hello.')).rejects.toThrow('samples that are not finite')
    const engine = await kokoro(onnxCommunityPack)
    await expect(engine.synthesize(voice('af_nobody'), 'Hello.')).rejects.toThrow('no style af_nobody')
    await expect(engine.synthesize(voice('jf_alpha'), 'Hello.')).rejects.toThrow('speaks ja')
  })

  it('refuses a text without tokens', async () => {
    const spoken = (await kokoro(onnxCommunityPack)).synthesize(voice('af_heart'), '…')
    await expect(spoken).rejects.toThrow(NothingToSay)
  })
})

describe('Kokoro with misaki’s English', () => {
  const data = compileFiles(tinyAssets).then(openEnglishData)
  const opened: Accent[] = []
  const load = async (files: Files) =>
    loadKokoro(await modelOf(files), runtime, async (_, accent) => {
      opened.push(accent)
      return createEnglishReader(await data, accent, async () => 'ˈɪ')
    })
  const idsOf = async (engine: SpeechEngine, style: string, text: string) =>
    read((await say(engine, style, text)).runs[0]!.ids)

  it('opens the reader of an accent once, at its first text', async () => {
    opened.length = 0
    const engine = await load(onnxCommunityPack)
    expect(await idsOf(engine, 'ff_siwis', 'Bonjour.')).toBe('<0>bɔ̃ʒˈuʁ.<0>')
    expect(opened).toEqual([])
    expect(await idsOf(engine, 'af_heart', 'The apple waited, yesterday read cat.')).toBe(
      '<0>ði ˈæpᵊl wˈATᵻd, ˈɪ ɹˈɛd kˈæt.<0>',
    )
    expect(await idsOf(engine, 'bm_george', 'The cat waited.')).toBe('<0>ðə kˈat wˈAtɪd.<0>')
    expect(await idsOf(engine, 'af_heart', 'Hello.')).toBe('<0>həlˈO.<0>')
    expect(opened).toEqual(['american', 'british'])
  })

  it('reads English words in Mandarin with it', async () => {
    const engine = await load({
      ...onnxCommunityPack,
      'voices/zf_xiaobei.bin': onnxCommunityPack['voices/af_heart.bin']!,
    })
    expect(await idsOf(engine, 'zf_xiaobei', '你好，apple。')).toBe('<0>ni↓xau↓, ˈæpᵊl .<0>')
  })

  it('does not use it for a vocabulary without misaki’s letters', async () => {
    opened.length = 0
    const vocab = Object.fromEntries([...' .həloʊˈ'].map((symbol, index) => [symbol, index + 1]))
    const engine = await load({ ...onnxCommunityPack, 'tokenizer.json': JSON.stringify({ model: { vocab } }) })
    await say(engine, 'af_heart', 'Hello.')
    expect(opened).toEqual([])
  })

  it('gives the times of words', async () => {
    const engine = await load({ ...hexgradPack, 'kokoro.onnx': timedStyleModel() })
    const { words } = await engine.synthesize(voice('af_heart'), "Hello, cat's (apple).")
    expect(words!.map(({ text }) => text)).toEqual(['Hello', "cat's", 'apple'])
    words!.slice(1).forEach((word, at) => expect(word.startSeconds).toBeGreaterThan(words![at]!.startSeconds))
  })
})

describe('words of Kokoro', () => {
  let engine: SpeechEngine
  beforeAll(async () => {
    engine = await kokoro({ ...hexgradPack, 'kokoro.onnx': timedStyleModel() })
  })

  /** Tokens heard from start to end. */
  function heard(samples: Float32Array, start: number, end: number): string {
    const ids: number[] = []
    for (let at = start; at < end; at += unitSamples) ids.push(idOf(samples[at]!))
    return read(ids.filter((id, index) => id !== ids[index - 1]))
  }

  it.each([1, 1.6])(
    'are timed as heard, one unit early, and share the spaces between them (speed %d)',
    async (speed) => {
      const text = 'Big foxes jump, and the lazy dog sleeps.'
      const { samples, sampleRate, words } = await engine.synthesize(voice('af_heart'), text, { speed })
      expect(words!.map((word) => word.text).join(' ')).toBe('Big foxes jump and the lazy dog sleeps')
      let before = 0
      for (const { text: word, startSeconds, endSeconds } of words!) {
        expect(startSeconds).toBeGreaterThanOrEqual(before)
        before = endSeconds
        const early = unitSamples
        const [start, end] = [startSeconds, endSeconds].map((seconds) => Math.round(seconds * sampleRate) + early)
        const clauses = await phonemizer.clauses(word, 'en-us')
        const spoken = toMisaki(clauses[0]!.phonemes.replace(/ /g, ''), 'american').replace(/[ˈˌ]/g, '')
        const inside = heard(samples, start! + unitSamples / 2, end!).replace(/[ˈˌ ]/g, '')
        // In isolation a word may be stressed differently; its consonants are the same.
        expect(inside.replace(/[^bdfgklmnpstz]/g, '')).toBe(spoken.replace(/[^bdfgklmnpstz]/g, ''))
      }
    },
  )

  it('are timed in Mandarin too', async () => {
    const timed = await kokoro({
      ...hexgradPack,
      'kokoro.onnx': timedStyleModel(),
      'voices/zf_xiaobei.bin': hexgradPack['voices/af_heart.bin']!,
    })
    const { samples, sampleRate, words } = await timed.synthesize(voice('zf_xiaobei'), '我们喜欢音乐。')
    expect(words!.map(({ text }) => text)).toEqual(['我们', '喜欢', '音乐'])
    for (const [index, spoken] of ['wo↓mən', 'ɕi↓xwan', 'i→nɥe↘'].entries()) {
      const { startSeconds, endSeconds } = words![index]!
      const [start, end] = [startSeconds, endSeconds].map((time) => Math.round(time * sampleRate) + unitSamples)
      expect(heard(samples, start! + unitSamples / 2, end!).replace(/ /g, '')).toBe(spoken)
    }
  })

  it('continue across runs', async () => {
    const text = Array(14).fill('The quick brown fox jumps over the lazy dog today.').join(' ')
    const { samples, sampleRate, words } = await engine.synthesize(voice('af_heart'), text, { speed: 1 })
    expect(words!.flatMap((word) => word.text.split(' ')).length).toBe(14 * 10)
    const last = words!.at(-1)!
    expect(last.text).toBe('today')
    expect(last.endSeconds).toBeGreaterThan(0.95 * (samples.length / sampleRate))
    expect(words!.every((word, i) => i === 0 || word.startSeconds >= words![i - 1]!.endSeconds - 1e-9)).toBe(true)
  })

  it('are timed by the lengths inside of a graph that does not give them', async () => {
    const hidden = await kokoro({ ...hexgradPack, 'kokoro.onnx': timedStyleModel({ givesDurations: false }) })
    const text = 'Big foxes jump, and the lazy dog sleeps.'
    const [inside, given] = [hidden, engine].map((one) => one.synthesize(voice('af_heart'), text))
    expect((await inside!).words).toEqual((await given!).words!)
    expect((await inside!).words).toHaveLength(8)
  })

  it('and the speed that is reached are known by the lengths inside of a graph', async () => {
    const hidden = await kokoro({ ...hexgradPack, 'kokoro.onnx': timedStyleModel({ givesDurations: false }) })
    const speak = (speed: number) => hidden.synthesize(voice('af_heart'), 'Big foxes jump.', { speed })
    const usual = await speak(1)
    expect(usual.speed).toBe(1)
    for (const asked of [0.6, 1.6, 3]) {
      const { samples, speed } = await speak(asked)
      expect(speed).toBeCloseTo(usual.samples.length / samples.length, 1)
      expect((samples.length * speed!) / usual.samples.length).toBeWithin(0.989, 1.011)
    }
    // Every id lasts at least one unit, so that this speed is out of reach.
    expect((await speak(16)).speed).toBeLessThan(10)
  })

  it('are not timed by graphs without token lengths', async () => {
    const silent = await kokoro(onnxCommunityPack)
    expect((await silent.synthesize(voice('af_heart'), 'Hello.')).words).toBeUndefined()
  })
})

describe('KittenTTS', () => {
  const dollar = '$;:,.!?¡¿—…'
  const trimmed = 5000 / 1000

  /** The last cells are cut from the sound, so the graph puts its count of ids before them. */
  function firstRun(samples: Float32Array, speed: number) {
    const held = Math.round(1000 / speed)
    const cells = Array.from({ length: Math.floor(samples.length / held) }, (_, i) => samples[i * held]!)
    const whole = cells.map((cell) => Math.round(cell * 2048 - 256))
    return { length: whole[1]!, speed: cells[3]! * 8, row: whole[4]!, speaker: whole[5]!, ids: whole.slice(6) }
  }

  it('feeds eSpeak NG’s IPA with spaces around marks, an ellipsis, and the row by the number of letters', async () => {
    const engine = await kitten(kittenPack)
    const text = 'Go home, now.'
    const { samples, speed } = await engine.synthesize(voice('expr-voice-2-m'), text, { speed: 1 })
    const run = firstRun(samples, 1)
    expect(run).toMatchObject({ speed: 1, row: text.length, speaker: 0 })
    expect(speed).toBe(1)
    // `ɡˌoʊ hˈoʊm , nˈaʊ .` between `$` and `…$`.
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
    const symbols = [...'ɡˌoʊ hˈoʊm , nˈaʊ .']
    expect(run.length).toBe(symbols.length + 3)
    expect(run.ids).toHaveLength(run.length - trimmed)
    const idOfSymbol = (symbol: string) =>
      dollar.includes(symbol)
        ? dollar.indexOf(symbol)
        : letters.includes(symbol)
          ? 17 + letters.indexOf(symbol)
          : undefined
    const known = symbols.map(idOfSymbol)
    run.ids.slice(1).forEach((id, index) => expect(id).toBe(known[index] ?? id))
    expect(run.ids.slice(1, 6)).toEqual([92, 157, 57, 135, 16])
  })

  it('applies the style’s own speed beside the requested one', async () => {
    const engine = await kitten(kittenPack)
    const { samples, speed } = await engine.synthesize(voice('expr-voice-2-f'), 'Go home, now.', { speed: 1.5 })
    const run = firstRun(samples, 1.2)
    expect(run.speed).toBeCloseTo(1.2, 5)
    expect(run.speaker).toBe(1)
    expect(speed).toBe(1.5)
  })

  it('uses the only row of a style for all lengths', async () => {
    const engine = await kitten(sherpaKittenPack)
    const { samples } = await engine.synthesize(voice('expr-voice-2-f'), 'Go home, now.', { speed: 1 })
    expect(firstRun(samples, 1)).toMatchObject({ row: 0, speaker: 1 })
  })

  it('drops the last 5000 samples of each run', async () => {
    const engine = await kitten({ ...kittenPack, [graphOf(kittenPack)]: styleModel({ hop: 1000 }) })
    const { samples } = await engine.synthesize(voice('expr-voice-2-m'), 'Go home, now.', { speed: 1 })
    const run = firstRun(samples, 1)
    expect(samples).toHaveLength((6 + run.length) * 1000 - 5000)
  })
})

const realStyles = '/work/shared/models/kokoro-voices'
describeWith(realStyles, 'real styles of Kokoro', () => {
  it('are fed to the graph unchanged', async () => {
    const engine = await kokoro({
      'kokoro.onnx': styleModel(),
      'config.json': await Bun.file(join(realStyles, 'config.json')).bytes(),
      'voices/af_heart.bin': await Bun.file(join(realStyles, 'af_heart.bin')).bytes(),
      'voices/zf_xiaobei.bin': await Bun.file(join(realStyles, 'zf_xiaobei.bin')).bytes(),
    })
    const file = new Float32Array(await Bun.file(join(realStyles, 'af_heart.bin')).arrayBuffer())
    const { samples } = await engine.synthesize(voice('af_heart'), 'Go home.')
    const row = [...'ɡˌO hˈOm.'].length - 1
    expect(samples.subarray(4, 6)).toEqual(file.subarray(row * 256, row * 256 + 2))
  })
})
