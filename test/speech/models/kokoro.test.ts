import { describe, expect, it } from 'bun:test'
import { tmpdir } from 'node:os'
import { openPackFolder } from '../../../src/speech/models/folder'
import { readKittenPack } from '../../../src/speech/models/kitten'
import { readKokoroPack } from '../../../src/speech/models/kokoro'
import { probePack } from '../../../src/packs/probe'
import { readPack } from '../../../src/packs/read-pack'
import { openRuntime } from '../../../src/speech/onnx/runtime'
import { brokenStyleModel, sherpaNames, styleModel, styleRows, timedStyleModel } from '../../onnx/kokoro'
import { writeNpz } from './npz-writer'
import {
  allStyles,
  bytesOf,
  type Files,
  hexgradPack,
  kittenPack,
  kokoroConfig,
  kokoroOnnxPack,
  kokoroStyles,
  onnxCommunityPack,
  sherpaKittenPack,
  sherpaMetadata,
  sherpaPack,
  writePack,
} from './style-packs'

const open = (files: Files) => openPackFolder(writePack(files))
const readKokoro = async (files: Files) => readKokoroPack(await open(files))
const readKitten = async (files: Files) => readKittenPack(await open(files))
const without = (files: Files, ...names: string[]): Files =>
  Object.fromEntries(Object.entries(files).filter(([name]) => !names.includes(name)))

describe('a pack of Kokoro', () => {
  it.each([
    ['of onnx-community', onnxCommunityPack, 'onnx/model.onnx'],
    ["of hexgrad's export", hexgradPack, 'kokoro.onnx'],
    ['of sherpa-onnx', sherpaPack, 'model.onnx'],
    ['of kokoro-onnx', kokoroOnnxPack, 'kokoro-v1.0.onnx'],
  ])('%s has a voice for each style', async (_, files, graph) => {
    expect(await readKokoro(files)).toEqual({
      family: 'kokoro',
      graph,
      sampleRate: 24_000,
      license: null,
      english: 'misaki',
      voices: [
        voice('kokoro-af-heart', 'Heart', 'en-US', 'female', 'af_heart'),
        voice('kokoro-bm-george', 'George', 'en-GB', 'male', 'bm_george'),
        voice('kokoro-ff-siwis', 'Siwis', 'fr', 'female', 'ff_siwis'),
      ],
    })
  })

  const voice = (id: string, displayName: string, language: string, gender: 'female' | 'male', style: string) => ({
    id,
    displayName,
    description: null,
    language,
    gender,
    settings: { voice: style },
  })

  it('reads English with eSpeak NG for a vocabulary without misaki’s letters, and not without English voices', async () => {
    const vocab = { ' ': 1, h: 2, ə: 3, '.': 4 }
    const old = { ...onnxCommunityPack, 'tokenizer.json': JSON.stringify({ model: { vocab } }) }
    expect((await readKokoro(old))!.english).toBe('espeak')
    const french = without(onnxCommunityPack, 'voices/af_heart.bin', 'voices/bm_george.bin')
    expect((await readKokoro(french))!.english).toBeUndefined()
  })

  it('names voices by their language and skips the Japanese ones, which have no phonemizer', async () => {
    const names = [
      'em_alex',
      'hf_alpha',
      'if_sara',
      'jf_alpha',
      'jm_kumo',
      'pm_santa',
      'zf_xiaobei',
      'zf_001',
      'af',
      'mine',
    ]
    const metadata = { ...sherpaMetadata, speaker_names: names.join(','), n_speakers: names.length }
    const pack = await readKokoro({
      ...sherpaPack,
      'model.onnx': styleModel({ names: [...sherpaNames], metadata }),
      'voices.bin': allStyles(names),
    })
    expect(pack?.voices.map(({ id, displayName, language, gender }) => [id, displayName, language, gender])).toEqual([
      ['kokoro-em-alex', 'Alex', 'es', 'male'],
      ['kokoro-hf-alpha', 'Alpha', 'hi', 'female'],
      ['kokoro-if-sara', 'Sara', 'it', 'female'],
      ['kokoro-pm-santa', 'Santa', 'pt-BR', 'male'],
      ['kokoro-zf-xiaobei', 'Xiaobei', 'zh', 'female'],
      ['kokoro-zf-001', 'ZF 001', 'zh', 'female'],
      ['kokoro-af', 'AF', 'en-US', 'female'],
      ['kokoro-mine', 'MINE', 'en-US', null],
    ])
  })

  it('with several graphs uses the most precise one', async () => {
    const graph = onnxCommunityPack['onnx/model.onnx']!
    const names = ['model_q4.onnx', 'model_fp16.onnx', 'model_quantized.onnx', 'model_q8f16.onnx', 'model_uint8.onnx']
    const several = without(onnxCommunityPack, 'onnx/model.onnx')
    const chosen = async (files: readonly string[]) =>
      (await readKokoro({ ...several, ...Object.fromEntries(files.map((file) => [`onnx/${file}`, graph])) }))?.graph
    expect(await chosen([...names, 'model.onnx'])).toBe('onnx/model.onnx')
    expect(await chosen(names)).toBe('onnx/model_fp16.onnx')
    expect(await chosen(['model_q4.onnx', 'model_quantized.onnx'])).toBe('onnx/model_quantized.onnx')
  })

  it('may have its vocabulary in the graph, as in kokoro-onnx', async () => {
    const inside = (kokoro_config: string) => ({
      ...without(kokoroOnnxPack, 'config.json'),
      'kokoro-v1.0.onnx': styleModel({ metadata: { kokoro_config } }),
    })
    expect((await readKokoro(inside(kokoroConfig)))?.voices).toHaveLength(3)
    const deep = kokoroConfig.replace('{', `{"ignored":${'['.repeat(65)}${']'.repeat(65)},`)
    for (const broken of ['{', deep])
      await expect(readKokoro(inside(broken))).rejects.toThrow(
        'kokoro_config in the metadata of the graph has no vocabulary',
      )
  })

  it('of v0.19 has styles of 511 or 512 rows', async () => {
    const metadata = { ...sherpaMetadata, version: 1, style_dim: '511,1,256' }
    const sherpa = {
      ...sherpaPack,
      'model.onnx': styleModel({ names: [...sherpaNames], metadata }),
      'voices.bin': allStyles(kokoroStyles, 511),
    }
    expect((await readKokoro(sherpa))?.voices).toHaveLength(3)
    const long = { ...onnxCommunityPack, 'voices/af.bin': bytesOf(styleRows(3, 512)) }
    expect((await readKokoro(long))?.voices).toHaveLength(4)
  })

  const lacking = new Float32Array(510 * 256 - 1)
  const graph = (options: Parameters<typeof styleModel>[0]) => ({
    ...onnxCommunityPack,
    'onnx/model.onnx': styleModel(options),
  })
  const archive = (entry: Parameters<typeof writeNpz>[0], options?: { compressed: boolean }) => ({
    ...kokoroOnnxPack,
    'voices-v1.0.bin': writeNpz(entry, options),
  })
  const bad: [string, Files, RegExp][] = [
    [
      'a style too short',
      { ...onnxCommunityPack, 'voices/af_sky.bin': bytesOf(lacking) },
      /voices\/af_sky\.bin has 522236 bytes, not 1 × 510 to 512 rows of 256 float32/,
    ],
    [
      'one style too few in voices.bin',
      { ...sherpaPack, 'voices.bin': allStyles(['a', 'b']) },
      /voices\.bin has 1044480 bytes, not 3 × 510 rows of 256 float32/,
    ],
    [
      'voices.bin without names',
      { ...sherpaPack, 'model.onnx': styleModel({ names: [...sherpaNames] }) },
      /voices\.bin holds several voices, .*speaker_names/,
    ],
    ['no vocabulary', without(onnxCommunityPack, 'tokenizer.json'), /there is no vocabulary: tokens\.txt/],
    [
      'a vocabulary of something else',
      { ...onnxCommunityPack, 'tokenizer.json': '{"model":{"vocab":{"a":1}}}' },
      /tokenizer\.json has no vocabulary of phonemes/,
    ],
    [
      'tokens.txt that is not a table',
      { ...sherpaPack, 'tokens.txt': 'a b c\n' },
      /tokens\.txt is not one symbol and its id per line/,
    ],
    [
      'styles of PyTorch',
      { 'kokoro.onnx': styleModel(), 'config.json': kokoroConfig, 'voices/af_heart.pt': 'PK' },
      /\.pt are PyTorch files/,
    ],
    ['no styles', { 'kokoro-v1.0.onnx': styleModel(), 'config.json': kokoroConfig }, /there are no styles/],
    [
      'ids as floats',
      graph({ tokenType: 'float32' }),
      /onnx\/model\.onnx does not have Kokoro's signature: its ids \(input_ids\) are float32/,
    ],
    ['a speed as float16', graph({ speedType: 'float16' }), /its speed \(speed\) is float16/],
    ['samples as float16', graph({ audioType: 'float16' }), /its samples are float16, not float32/],
    [
      'an impossible sample rate',
      {
        ...sherpaPack,
        'model.onnx': styleModel({ names: [...sherpaNames], metadata: { ...sherpaMetadata, sample_rate: 0 } }),
      },
      /its sample rate is 0/,
    ],
    [
      'styles of other dimensions',
      {
        ...sherpaPack,
        'model.onnx': styleModel({ names: [...sherpaNames], metadata: { ...sherpaMetadata, style_dim: '513,1,256' } }),
      },
      /its styles are 513,1,256, not 510,1,256/,
    ],
    [
      'a truncated graph',
      { ...onnxCommunityPack, 'onnx/model.onnx': styleModel().subarray(0, 300) },
      /onnx\/model\.onnx /,
    ],
    [
      'only Japanese voices',
      {
        ...without(onnxCommunityPack, ...kokoroStyles.map((name) => `voices/${name}.bin`)),
        'voices/jf_alpha.bin': bytesOf(styleRows(0)),
      },
      /all of its voices are Japanese/,
    ],
    [
      'an archive of shorter styles',
      archive({ af_heart: { shape: [400, 1, 256], values: styleRows(0, 400) } }),
      /the style af_heart has 400 rows, not 510 to 512/,
    ],
    [
      'an archive with another row size',
      archive({ af_heart: { shape: [1020, 128], values: styleRows(0) } }),
      /af_heart is 1020 × 128, not rows of 256/,
    ],
    [
      'an archive of doubles',
      archive({ af_heart: { shape: [510, 1, 256], values: styleRows(0), descr: '<f8' } }),
      /af_heart\.npy is not row-major float32/,
    ],
    [
      'an archive with an array longer than declared',
      archive({ af_heart: { shape: [509, 1, 256], values: styleRows(0) } }),
      /af_heart\.npy does not have its declared length/,
    ],
    [
      'an archive with a path as a name',
      archive({ '../../etc/passwd': { shape: [510, 1, 256], values: styleRows(0) } }),
      /a style is named "\.\.\/\.\.\/etc\/passwd"/,
    ],
    [
      'an archive cut short',
      { ...kokoroOnnxPack, 'voices-v1.0.bin': (kokoroOnnxPack['voices-v1.0.bin'] as Uint8Array).subarray(0, 200_000) },
      /voices-v1\.0\.bin is not a readable NumPy archive: its end record is missing/,
    ],
    [
      'an archive that inflates to gigabytes',
      archive({ af_heart: { shape: [5000, 1, 256], values: new Float32Array(5000 * 256) } }, { compressed: true }),
      /af_heart\.npy is too large/,
    ],
  ]
  it.each(bad)('with %s is refused with the reason', async (_, files, reason) => {
    const outcome = await readKokoro(files).catch((error: unknown) => error)
    expect(outcome).toMatchObject({ name: 'BadPack' })
    expect((outcome as Error).message).toMatch(reason)
  })

  it('is not recognized in VITS models or an empty folder', async () => {
    expect(
      await readKokoro({ 'model.onnx': brokenStyleModel(), 'tokens.txt': 'a 1\n', 'lexicon.txt': '' }),
    ).toBeUndefined()
    expect(await readKokoro({ 'README.md': '# nothing' })).toBeUndefined()
    expect(await readKokoro(kittenPack)).toBeUndefined()
    expect(await readKokoro(sherpaKittenPack)).toBeUndefined()
  })
})

describe('a pack of KittenTTS', () => {
  it('has the style names of its config', async () => {
    expect(await readKitten(kittenPack)).toMatchObject({
      family: 'kitten',
      graph: 'kitten_tts_nano_v0_8.onnx',
      sampleRate: 24_000,
      voices: [
        { id: 'kitten-jasper', displayName: 'Jasper', gender: 'male', settings: { voice: 'expr-voice-2-m' } },
        { id: 'kitten-bella', displayName: 'Bella', gender: 'female', settings: { voice: 'expr-voice-2-f' } },
      ],
    })
  })

  it('of sherpa-onnx has the style names of its metadata', async () => {
    expect(await readKitten(sherpaKittenPack)).toMatchObject({
      family: 'kitten',
      graph: 'model.onnx',
      voices: [
        { id: 'kitten-voice-2-m', displayName: 'Kitten 2M', language: 'en-US', gender: 'male' },
        { id: 'kitten-voice-2-f', displayName: 'Kitten 2F', language: 'en-US', gender: 'female' },
      ],
    })
  })

  it('of onnx-community has a file for each style', async () => {
    const row = bytesOf(styleRows(0, 1))
    const styles = { 'voices/expr-voice-2-f.bin': row, 'voices/expr-voice-5-m.bin': row }
    const files = { 'onnx/model.onnx': styleModel(), ...styles }
    expect(await readKokoro(files)).toBeUndefined()
    expect((await readKitten(files))?.voices.map(({ id }) => id)).toEqual(['kitten-voice-2-f', 'kitten-voice-5-m'])
  })

  it('is also read from a compressed archive', async () => {
    const values = styleRows(3, 1)
    const voices = writeNpz({ 'expr-voice-5-m': { shape: [1, 256], values } }, { compressed: true })
    expect((await readKitten({ ...kittenPack, 'voices.npz': voices }))?.voices).toHaveLength(1)
  })

  it('is refused with an extreme speed, or without a speed input', async () => {
    const config = JSON.parse(kittenPack['config.json'] as string) as Record<string, unknown>
    const fast = JSON.stringify({ ...config, speed_priors: { 'expr-voice-2-f': 40 } })
    await expect(readKitten({ ...kittenPack, 'config.json': fast })).rejects.toThrow(
      'the speed of expr-voice-2-f is 40',
    )
    const whole = { ...kittenPack, 'kitten_tts_nano_v0_8.onnx': styleModel({ speedType: 'int32' }) }
    await expect(readKitten(whole)).rejects.toThrow('takes no speed as float32')
  })

  it('is not recognized in packs of Kokoro', async () => {
    expect(await readKitten(sherpaPack)).toBeUndefined()
    expect(await readKitten(kokoroOnnxPack)).toBeUndefined()
    expect(await readKitten(onnxCommunityPack)).toBeUndefined()
  })
})

describe('packs of both', () => {
  it('are refused when two styles get the same id', async () => {
    const style = { shape: [510, 1, 256], values: styleRows(0) }
    const voices = writeNpz({ 'af_a-b': style, af_a_b: style })
    const read = readPack(writePack({ ...kokoroOnnxPack, 'voices-v1.0.bin': voices }))
    await expect(read).rejects.toThrow('two of its voices have the id kokoro-af-a-b')
  })

  it.each([
    [
      'Kokoro',
      { ...hexgradPack, 'kokoro.onnx': timedStyleModel() },
      ['kokoro-af-heart', 'kokoro-bm-george', 'kokoro-ff-siwis'],
    ],
    ['KittenTTS', { ...kittenPack, 'kitten_tts_nano_v0_8.onnx': timedStyleModel() }, ['kitten-jasper', 'kitten-bella']],
  ])('are synthesized with before they are offered: %s', async (_, files, ids) => {
    const runtime = await openRuntime({ directory: tmpdir(), provider: 'cpu', threads: 1 })
    const { pack } = await probePack(writePack(files), { runtime: async () => runtime, memoryMaxBytes: 1e9 })
    expect(pack.voices.map(({ id }) => id)).toEqual(ids)
    expect(pack).toMatchObject({ timesWords: true, deterministic: true, sampleRate: 24_000 })
  })
})
