/** Packs of Piper: detection, voices, and the reasons for refusals. */
import { afterAll, describe, expect, it } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { copyFile, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PackContent } from '../../../src/speech/models/family'
import { openPackFolder } from '../../../src/speech/models/folder'
import { BadPack } from '../../../src/speech/models/pack'
import { readPiperPack } from '../../../src/speech/models/piper'
import { createGraph } from '../../onnx/graph'
import { piperConfig, piperModel, writePiperPack } from '../../onnx/piper'
import { describeWith } from '../../tools'

const home = mkdtempSync(join(tmpdir(), 'sonant-piper-packs-'))
afterAll(() => rmSync(home, { recursive: true }))

type Files = { name?: string; model?: Uint8Array; config?: unknown }
let packs = 0
const freshFolder = () => join(home, String(packs++))

async function read(files: Files): Promise<PackContent> {
  const { directory } = await writePiperPack(freshFolder(), files)
  return (await readPiperPack(await openPackFolder(directory)))!
}

async function reason(files: Files): Promise<string> {
  const error = await read(files).then(
    () => new Error('it was not refused'),
    (thrown: Error) => thrown,
  )
  expect(error).toBeInstanceOf(BadPack)
  return error.message
}

describe('a Piper pack', () => {
  it('with one speaker is one voice, named after its dataset', async () => {
    const pack = await read({ name: 'en_US-lessac-medium' })
    expect(pack).toEqual({
      family: 'piper',
      graph: 'en_US-lessac-medium.onnx',
      sampleRate: 22_050,
      license: null,
      voices: [
        {
          id: 'en-us-lessac-medium',
          displayName: 'Lessac',
          description: 'Piper, medium quality',
          language: 'en-US',
          gender: null,
          settings: { voice: 'en_US-lessac-medium' },
        },
      ],
    })
  })

  it('with several speakers has one voice each', async () => {
    const config = piperConfig({ num_speakers: 3, speaker_id_map: { p225: 1, p226: 0 } })
    const { voices } = await read({ name: 'en_GB-vctk-medium', model: piperModel({ speakers: 3 }), config })
    expect(voices.map(({ id, displayName, settings }) => [id, displayName, settings])).toEqual([
      ['en-gb-vctk-p226', 'Vctk p226', { voice: 'p226', speaker: 0 }],
      ['en-gb-vctk-p225', 'Vctk p225', { voice: 'p225', speaker: 1 }],
      ['en-gb-vctk-2', 'Vctk 2', { voice: '2', speaker: 2 }],
    ])
  })

  it('gives different ids to speakers whose names differ only in signs', async () => {
    const config = piperConfig({ num_speakers: 3, speaker_id_map: { 'a b': 0, 'A-B': 1, å_b: 2 } })
    const { voices } = await read({ model: piperModel({ speakers: 3 }), config })
    expect(new Set(voices.map(({ id }) => id)).size).toBe(3)
    for (const { id } of voices) expect(id).toMatch(/^[a-z0-9][a-z0-9.-]*$/)
  })

  it('has its declared language, or that of its phonemes', async () => {
    const languageOf = async (changes: Record<string, unknown>) =>
      (await read({ config: piperConfig(changes) })).voices[0]!.language
    expect(await languageOf({ language: { code: 'pt_BR' } })).toBe('pt-BR')
    expect(await languageOf({ language: undefined, espeak: { voice: 'en-gb-x-rp' } })).toBe('en-GB')
    expect(await languageOf({ language: undefined, espeak: { voice: 'cmn' } })).toBe('zh-CN')
    expect(await languageOf({ language: undefined, espeak: { voice: 'de' } })).toBe('de')
  })

  it('needs only the fields that Piper needs', async () => {
    const { phoneme_id_map, audio, espeak } = piperConfig()
    const { voices, sampleRate } = await read({ name: 'mine', config: { phoneme_id_map, audio, espeak } })
    expect([voices[0]!.id, voices[0]!.displayName, sampleRate]).toEqual(['mine', 'Mine', 22_050])
  })

  it('is not recognized by a graph alone or another configuration', async () => {
    const folder = freshFolder()
    await mkdir(folder)
    await Bun.write(join(folder, 'model.onnx'), piperModel())
    expect(await readPiperPack(await openPackFolder(folder))).toBeUndefined()
    await Bun.write(join(folder, 'model.onnx.json'), '{"vocab":{}}')
    expect(await readPiperPack(await openPackFolder(folder))).toBeUndefined()
  })

  it('has exactly one model with both of its files', async () => {
    const folder = freshFolder()
    await writePiperPack(folder, { name: 'a' })
    await writePiperPack(folder, { name: 'b' })
    const open = async () => readPiperPack(await openPackFolder(folder))
    await expect(open()).rejects.toThrow(
      'there are several voices (a.onnx.json, b.onnx.json): each needs its own folder',
    )
    rmSync(join(folder, 'b.onnx.json'))
    rmSync(join(folder, 'a.onnx'))
    await expect(open()).rejects.toThrow('a.onnx is missing')
  })
})

describe('a configuration is refused with the file, the field, the value and the allowed values', () => {
  const file = 'en_US-test-medium.onnx.json'
  const map = piperConfig()['phoneme_id_map'] as Record<string, unknown>
  const cases: [string, Record<string, unknown>, string][] = [
    ['no sample rate', { audio: {} }, 'audio.sample_rate is missing; it must be a whole number from 8000 to 48000'],
    ['an absurd sample rate', { audio: { sample_rate: 96_000 } }, 'audio.sample_rate is 96000'],
    ['half a sample', { audio: { sample_rate: 22_050.5 } }, 'audio.sample_rate is 22050.5; it must be a whole number'],
    ['a sample rate in words', { audio: { sample_rate: '22050' } }, 'audio.sample_rate is "22050"'],
    ['a list for an object', { audio: [] }, 'audio.sample_rate is missing'],
    [
      'an unsupported phoneme type',
      { phoneme_type: 'hebrew' },
      'phoneme_type is "hebrew"; it must be espeak or text or pinyin',
    ],
    [
      'an unknown voice of eSpeak NG',
      { espeak: { voice: 'klingon' } },
      'espeak.voice is "klingon"; it must be a voice of eSpeak NG',
    ],
    ['no voice of eSpeak NG', { espeak: {} }, 'espeak.voice is missing'],
    ['no phonemes', { phoneme_id_map: undefined }, 'phoneme_id_map._ is missing; it must be there'],
    ['phonemes that are a list', { phoneme_id_map: [] }, 'phoneme_id_map is []; it must be an object'],
    ['no end', { phoneme_id_map: { _: [0], '^': [1] } }, 'phoneme_id_map.$ is missing'],
    [
      'an id beyond the symbols',
      { phoneme_id_map: { ...map, a: [256] } },
      'phoneme_id_map["a"] is [256]; it must be a list of whole numbers from 0 to 255',
    ],
    ['an invalid id', { phoneme_id_map: { ...map, a: [-1] } }, 'phoneme_id_map["a"] is [-1]'],
    ['no id', { phoneme_id_map: { ...map, a: [] } }, 'phoneme_id_map["a"] is []'],
    ['an id without a list', { phoneme_id_map: { ...map, a: 3 } }, 'phoneme_id_map["a"] is 3'],
    ['too many symbols', { num_symbols: 1e9 }, 'num_symbols is 1000000000; it must be a whole number from 1 to 10000'],
    ['no speaker', { num_speakers: 0 }, 'num_speakers is 0; it must be a whole number from 1 to 2000'],
    ['too many speakers', { num_speakers: 2_001 }, 'num_speakers is 2001'],
    [
      'an unknown speaker',
      { speaker_id_map: { ann: 1 } },
      'speaker_id_map.ann is 1; it must be a whole number from 0 to 0',
    ],
    [
      'two speakers with one number',
      { num_speakers: 2, speaker_id_map: { a: 1, b: 1 } },
      'speaker_id_map is {"a":1,"b":1}; it must be a different number for each name',
    ],
    [
      'a very long speaker name',
      { speaker_id_map: { ['x'.repeat(101)]: 0 } },
      'it must be names of 1 to 100 characters',
    ],
    [
      'a length scale of 0',
      { inference: { length_scale: 0 } },
      'inference.length_scale is 0; it must be a number from 0.1 to 10',
    ],
    ['a huge noise scale', { inference: { noise_scale: 1e9 } }, 'inference.noise_scale is 1000000000'],
    ['noise that is text', { inference: { noise_w: 'much' } }, 'inference.noise_w is "much"'],
    ['a frame of no samples', { hop_length: 0 }, 'hop_length is 0; it must be a whole number from 1 to 4096'],
    [
      'an invalid language',
      { language: { code: 'multilingual' } },
      'language.code is "multilingual"; it must be a language',
    ],
    ['clusters that are not lists', { vowel_clusters: ['ai'] }, 'vowel_clusters is "ai"; it must be a list of texts'],
    [
      'a cluster without an id',
      { vowel_clusters: [['a', 'ɪ']] },
      'vowel_clusters is ["a","ɪ"]; it must be of clusters that phoneme_id_map has',
    ],
    ['a map of phonemes to numbers', { phoneme_map: { c: [1] } }, 'phoneme_map is [1]; it must be a list of texts'],
  ]
  for (const [name, changes, expected] of cases)
    it(name, async () => {
      const found = await reason({ config: piperConfig(changes) })
      expect(found).toStartWith(`${file}: `)
      expect(found).toContain(expected)
    })

  it('no JSON', async () => {
    expect(await reason({ config: '{"phoneme_id_map":' })).toContain(file)
    expect(await reason({ config: '[]' })).toContain(`${file} is not a JSON object`)
  })
})

describe('a graph is refused', () => {
  const graph = 'en_US-test-medium.onnx'
  it('without the inputs of Piper', async () => {
    const other = createGraph()
    other.output('output', other.cast(other.input('input', 'int64', ['n']), 'float32'), ['n'])
    expect(await reason({ model: other.model() })).toBe(
      `${graph}: its input input is int64 of 1 dimensions; it must be int64 of 2 dimensions`,
    )
    const empty = createGraph()
    empty.output('output', empty.input('x', 'float32', ['n']), ['n'])
    expect(await reason({ model: empty.model() })).toBe(`${graph} lacks the input input of Piper's graphs`)
  })

  it('without a speaker input for several speakers', async () => {
    const config = piperConfig({ num_speakers: 2, speaker_id_map: { a: 0, b: 1 } })
    expect(await reason({ config })).toBe(`${graph} lacks the input sid of Piper's graphs`)
  })

  it('with an unknown input', async () => {
    expect(await reason({ model: piperModel({ languageInput: 'prosody' }) })).toBe(
      `${graph} has an input prosody, which Piper's graphs do not have`,
    )
  })
})

const samples = join(import.meta.dir, '../../../../shared/models/piper-samples')
describeWith(samples, 'real configurations', () => {
  async function readSample(name: string, model?: Uint8Array): Promise<PackContent> {
    const config = await Bun.file(join(samples, `${name}.onnx.json`)).text()
    if (model) return read({ name, model, config })
    const directory = freshFolder()
    await mkdir(directory)
    for (const file of [`${name}.onnx`, `${name}.onnx.json`]) await copyFile(join(samples, file), join(directory, file))
    return (await readPiperPack(await openPackFolder(directory)))!
  }

  it('are read', async () => {
    const lessac = await readSample('en_US-lessac-medium', piperModel())
    expect(lessac.voices).toMatchObject([{ id: 'en-us-lessac-medium', displayName: 'Lessac', language: 'en-US' }])
    const stub = await readSample('ohf_stub_test_voice')
    expect(stub.voices).toMatchObject([{ id: 'ohf-stub-test-voice', displayName: 'Test', language: 'en-US' }])
  })

  it('of similar models are refused with the reason', async () => {
    await expect(readSample('zero-shot-test')).rejects.toThrow("of Piper's graphs")
    await expect(readSample('piper-plus-multilingual-test-medium', piperModel())).rejects.toThrow(
      'phoneme_type is "multilingual"; it must be espeak or text or pinyin',
    )
  })
})
