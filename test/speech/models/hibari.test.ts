import { describe, expect, it } from 'bun:test'
import { join } from 'node:path'
import type { EnglishFiles } from '../../../src/assets/embedded'
import { openPackFolder } from '../../../src/speech/models/folder'
import { readHibariPack, readHibariVocabulary } from '../../../src/speech/models/hibari'
import { readPack } from '../../../src/packs/read-pack'
import { hibariModel, type HibariModel } from '../../onnx/hibari'
import { type Files, kokoroVocabulary, onnxCommunityPack, writePack } from './style-packs'

const vocabulary = { 'vocab.json': JSON.stringify(kokoroVocabulary) }
const hibariPack = (graph = 'hibari.onnx', options: HibariModel = {}): Files => ({
  [graph]: hibariModel(options),
  ...vocabulary,
})
const english: EnglishFiles = {
  data: '',
  networks: { american: '', british: '' },
  vocabulary: join(
    writePack({ 'kokoro.json': JSON.stringify({ ...kokoroVocabulary, built: 9, in: 10 }) }),
    'kokoro.json',
  ),
}
const read = async (files: Files, builtIn: EnglishFiles | null = english) =>
  readHibariPack(await openPackFolder(writePack(files)), builtIn)

describe('a pack of Hibari', () => {
  it.each([
    ['hibari.onnx', 'hibari-heart', 'Heart', 'en-US', 'female', 'af_heart'],
    ['bf_emma.int8.onnx', 'hibari-emma', 'Emma', 'en-GB', 'female', 'bf_emma'],
    ['am_fenrir_v2.int8.onnx', 'hibari-fenrir', 'Fenrir', 'en-US', 'male', 'am_fenrir'],
    ['voices/bm_fable.int8.onnx', 'hibari-fable', 'Fable', 'en-GB', 'male', 'bm_fable'],
    ['my own_voice.onnx', 'hibari-my-own-voice', 'My Own Voice', 'en-US', null, 'my own_voice'],
    ['hibari-ava.onnx', 'hibari-ava', 'Ava', 'en-US', null, 'hibari-ava'],
  ] as const)(
    'is one voice with the name of its graph: %s',
    async (graph, id, displayName, language, gender, voice) => {
      expect(await read(hibariPack(graph))).toEqual({
        family: 'hibari',
        graph,
        sampleRate: 24_000,
        voices: [{ id, displayName, description: null, language, gender, settings: { voice } }],
        license: null,
      })
    },
  )

  it('has the licence of its files', async () => {
    const directory = writePack({ ...hibariPack(), LICENSE: '\n    Apache License\n    Version 2.0, January 2004\n' })
    const pack = await readPack(directory, [(folder) => readHibariPack(folder, english)])
    expect(pack).toMatchObject({ family: 'hibari', license: 'Apache-2.0', deterministic: true })
  })

  it('may have the networks for unknown words beside the graph, as in the Python package', async () => {
    const files = { ...hibariPack(), 'oov.onnx': hibariModel(), 'oov_gb.onnx': hibariModel() }
    expect((await read(files))?.graph).toBe('hibari.onnx')
  })

  it('is refused with the reason in a build without the data for English', async () => {
    await expect(read(hibariPack(), null)).rejects.toThrow('no data for reading English')
  })

  it.each([
    [{ bins: 513 }, 'its output lh is float32 [1, 513, ?], not float32 [1, 601, ?]'],
    [{ without: ['f0'] }, 'it has no output f0'],
    [{ without: ['ln', 'lr'] }, 'it has no output ln'],
    [{ further: 'style' }, 'it has a further input, style'],
    [{ speedType: 'int64' }, 'its input speed is int64 [1], not float32 [1]'],
  ] as const)('is refused with the difference in its signature: %j', async (options, reason) => {
    for (const graph of ['hibari.onnx', 'other.onnx'])
      await expect(read(hibariPack(graph, options))).rejects.toThrow(reason)
  })

  it('is refused if a graph of its name has foreign outputs', async () => {
    const { 'onnx/model.onnx': foreign } = onnxCommunityPack
    await expect(read({ 'hibari.onnx': foreign!, ...vocabulary })).rejects.toThrow('it has no input ids')
  })

  it.each([
    ['{"a": "b"}', 'has no vocabulary of phonemes'],
    ['{"a": -1, "ə": 2, " ": 3}', 'has no vocabulary of phonemes'],
    ['[1]', 'is not a JSON object'],
    ['{"a": 1', 'is not a JSON object'],
  ])('is refused with a vocabulary of %p', async (text, reason) => {
    await expect(read({ 'hibari.onnx': hibariModel(), 'vocab.json': text })).rejects.toThrow(reason)
  })

  it.each(['hibari.onnx', 'bf_emma.int8.onnx', 'voices/am_fenrir_v2.int8.onnx'])(
    'without a vocabulary is read with the built-in one: %s',
    async (graph) => {
      const files = { [graph]: hibariModel() }
      expect(await read(files)).toMatchObject({ family: 'hibari', graph })
      const folder = await openPackFolder(writePack(files))
      expect([...(await readHibariVocabulary(folder, english)).keys()]).toContain('built')
      await expect(readHibariVocabulary(folder, null)).rejects.toThrow('no vocabulary')
      const own = await openPackFolder(writePack(hibariPack(graph)))
      expect([...(await readHibariVocabulary(own, english)).keys()]).not.toContain('built')
    },
  )

  it('is refused with several voices in one folder', async () => {
    await expect(read({ ...hibariPack(), ...hibariPack('bf_emma.int8.onnx') })).rejects.toThrow('its own folder')
  })

  it('is not every folder with a vocabulary', async () => {
    expect(await read(onnxCommunityPack)).toBeUndefined()
    expect(await read({ 'model.onnx': onnxCommunityPack['onnx/model.onnx']!, ...vocabulary })).toBeUndefined()
    expect(await read({ 'af_bella.onnx': onnxCommunityPack['onnx/model.onnx']! })).toBeUndefined()
    expect(await read(vocabulary)).toBeUndefined()
  })
})
