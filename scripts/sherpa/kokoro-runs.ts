/**
 * Prints the ids that sherpa-onnx feeds to a Kokoro or KittenTTS model. Reads texts from standard input (one JSON
 * string a line); writes one JSON array of runs a line: `[{ ids, row, speaker, speed }, …]`. It is a separate process
 * for the reasons in offline-tts.ts.
 * bun scripts/sherpa/kokoro-runs.ts kokoro|kitten DATA_DIRECTORY SPEAKER SPEED [VOICE CONFIG] < texts
 * DATA_DIRECTORY: the folder of `phontab`. VOICE: eSpeak NG's name. CONFIG: a file with `vocab`; without it, the alphabet
 * of StyleTTS 2, which Kokoro v0.19 has too.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { kittenVocabulary } from '../../src/speech/phonemes/kitten'
import { decodeRuns, sherpaNames, styleModel, styleRows } from '../../test/onnx/kokoro'
import { answerLines, openSherpa } from './offline-tts'

const speakers = 3
const families = {
  kokoro: { rows: 510, metadata: { model_type: 'kokoro', style_dim: '510,1,256', speaker_names: 'a,b,c' } },
  kitten: { rows: 1, metadata: { model_type: 'kitten-tts', style_dim: '1,256', speaker_names: 'a,b,c' } },
} as const

const [family, dataDir, speaker, speed, voice = 'en-us', config] = process.argv.slice(2) as [
  keyof typeof families,
  ...[string, string, string, string?, string?],
]
const { rows, metadata } = families[family]
const vocabulary = config
  ? Object.entries(((await Bun.file(config).json()) as { vocab: Record<string, number> }).vocab)
  : [...kittenVocabulary]
const directory = await mkdtemp(join(tmpdir(), 'sonant-sherpa-'))
const write = async (name: string, content: string | Uint8Array) => {
  await Bun.write(join(directory, name), content)
  return join(directory, name)
}
try {
  const common = { language: 'English', has_espeak: 1, sample_rate: 24_000, version: 1, voice }
  const styles = Array.from({ length: speakers }, (_, index) => Buffer.from(styleRows(index, rows).buffer))
  const speak = openSherpa({
    [family]: {
      model: await write(
        'model.onnx',
        styleModel({ names: [...sherpaNames], metadata: { ...common, ...metadata, n_speakers: speakers } }),
      ),
      voices: await write('voices.bin', Buffer.concat(styles)),
      tokens: await write('tokens.txt', vocabulary.map(([symbol, id]) => `${symbol} ${id}\n`).join('')),
      dataDir,
    },
  })
  const options = { speaker: Number(speaker), speed: Number(speed) }
  await answerLines((text) => decodeRuns(speak(text, options)))
} finally {
  await rm(directory, { recursive: true })
}
