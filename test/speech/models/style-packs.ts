/** Packs of transparent Kokoro and KittenTTS models in the published layouts, in temporary folders. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { sherpaNames, styleModel, styleRows, timedStyleModel } from '../../onnx/kokoro'
import vocabulary from './kokoro-vocabulary.json'
import { writeNpz } from './npz-writer'

export type Files = Readonly<Record<string, string | Uint8Array>>

/** A folder with only these files. */
export function writePack(files: Files): string {
  const directory = mkdtempSync(join(tmpdir(), 'sonant-pack-'))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true })
    writeFileSync(join(directory, name), content)
  }
  return directory
}

export const bytesOf = (values: Float32Array) => new Uint8Array(values.buffer, values.byteOffset, values.byteLength)

/** Styles of all `names`, concatenated; the nth is heard as speaker n. */
export const allStyles = (names: readonly string[], rows = 510) =>
  Buffer.concat(names.map((_, speaker) => bytesOf(styleRows(speaker, rows))))

/** The vocabulary of Kokoro v1.0, from config.json of hexgrad/Kokoro-82M. */
export const kokoroVocabulary: Readonly<Record<string, number>> = vocabulary
export const kokoroConfig = JSON.stringify({ n_token: 178, vocab: vocabulary })
const tokensOf = (symbols: Readonly<Record<string, number>>) =>
  Object.entries(symbols)
    .map(([symbol, id]) => `${symbol} ${id}\n`)
    .join('')

export const kokoroStyles = ['af_heart', 'bm_george', 'ff_siwis']

/** onnx-community/Kokoro-82M-v1.0-ONNX. */
export const onnxCommunityPack: Files = {
  'README.md': '---\nlicense: apache-2.0\nlibrary_name: transformers.js\n---\n# Kokoro\n',
  'config.json': '{"model_type": "style_text_to_speech_2"}',
  'tokenizer.json': JSON.stringify({ model: { vocab: { $: 0, ...vocabulary } } }),
  'onnx/model.onnx': styleModel({ hop: 4 }),
  ...Object.fromEntries(kokoroStyles.map((name, speaker) => [`voices/${name}.bin`, bytesOf(styleRows(speaker))])),
}

/** hexgrad/kokoro, examples/export.py. */
export const hexgradPack: Files = {
  'config.json': kokoroConfig,
  'kokoro.onnx': timedStyleModel({ speedType: 'int32' }),
  ...Object.fromEntries(kokoroStyles.map((name, speaker) => [`voices/${name}.bin`, bytesOf(styleRows(speaker))])),
}

export const sherpaMetadata = {
  model_type: 'kokoro',
  language: 'English',
  has_espeak: 1,
  sample_rate: 24_000,
  version: 2,
  voice: 'en-us',
  style_dim: '510,1,256',
  n_speakers: 3,
  speaker_names: kokoroStyles.join(','),
}

/** sherpa-onnx, scripts/kokoro. */
export const sherpaPack: Files = {
  'model.onnx': styleModel({ names: [...sherpaNames], hop: 4, metadata: sherpaMetadata }),
  'voices.bin': allStyles(kokoroStyles),
  'tokens.txt': tokensOf(vocabulary),
}

/** The release of kokoro-onnx, with the config that it lacks. */
export const kokoroOnnxPack: Files = {
  'config.json': kokoroConfig,
  'kokoro-v1.0.onnx': styleModel({ names: [...sherpaNames], hop: 4 }),
  'voices-v1.0.bin': writeNpz(
    Object.fromEntries(
      kokoroStyles.map((name, speaker) => [name, { shape: [510, 1, 256], values: styleRows(speaker) }]),
    ),
  ),
}

const kittenStyles = ['expr-voice-2-m', 'expr-voice-2-f']

/** KittenML/kitten-tts-nano-0.8. */
export const kittenPack: Files = {
  'README.md': '---\nlicense: apache-2.0\n---\n',
  'config.json': JSON.stringify({
    name: 'Kitten TTS Nano',
    version: '0.8',
    type: 'ONNX2',
    model_file: 'kitten_tts_nano_v0_8.onnx',
    voices: 'voices.npz',
    speed_priors: { 'expr-voice-2-f': 0.8 },
    voice_aliases: { Bella: 'expr-voice-2-f', Jasper: 'expr-voice-2-m' },
  }),
  'kitten_tts_nano_v0_8.onnx': styleModel({ hop: 1000 }),
  'voices.npz': writeNpz(
    Object.fromEntries(
      kittenStyles.map((name, speaker) => [name, { shape: [400, 256], values: styleRows(speaker, 400) }]),
    ),
  ),
}

export const sherpaKittenMetadata = {
  model_type: 'kitten-tts',
  language: 'English',
  has_espeak: 1,
  sample_rate: 24_000,
  version: 1,
  voice: 'en-us',
  style_dim: '1,256',
  n_speakers: 2,
  speaker_names: kittenStyles.join(','),
}

/** sherpa-onnx, scripts/kitten-tts. */
export const sherpaKittenPack: Files = {
  'model.onnx': styleModel({ hop: 1000, metadata: sherpaKittenMetadata }),
  'voices.bin': allStyles(kittenStyles, 1),
}
