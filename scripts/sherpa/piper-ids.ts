/**
 * What ids sherpa-onnx feeds to a Piper voice, for texts on the standard input (one JSON string a line); answers with one
 * JSON array of runs a line. It is a process of its own for what offline-tts.ts says.
 *
 *   bun scripts/sherpa/piper-ids.ts VOICE CONFIG DATA_DIRECTORY < texts
 *
 * VOICE: eSpeak NG's name of it. CONFIG: a file with `phoneme_id_map`. DATA_DIRECTORY: where `phontab` is.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodePiper, piperModel } from '../../test/onnx/piper'
import { answerLines, openSherpa } from './offline-tts'

const [voice, configPath, dataDirectory] = process.argv.slice(2) as [string, string, string]
const { phoneme_id_map: map } = (await Bun.file(configPath).json()) as { phoneme_id_map: Record<string, number[]> }
const directory = await mkdtemp(join(tmpdir(), 'sonant-sherpa-'))
try {
  // sherpa-onnx takes symbols of one code point each.
  const tokens = Object.entries(map).filter(([symbol]) => [...symbol].length === 1 && symbol !== '\n')
  await Bun.write(join(directory, 'tokens.txt'), tokens.map(([symbol, [id]]) => `${symbol} ${id}\n`).join(''))
  const metadata = { model_type: 'vits', comment: 'piper', language: 'English', voice, n_speakers: 1, has_espeak: 1 }
  await Bun.write(join(directory, 'model.onnx'), piperModel({ metadata: { ...metadata, sample_rate: 22_050 } }))
  const speak = openSherpa({
    vits: {
      model: join(directory, 'model.onnx'),
      tokens: join(directory, 'tokens.txt'),
      dataDir: dataDirectory,
    },
  })
  await answerLines((text) => {
    // eSpeak NG begins a text with the character that it had looked ahead to in the one before.
    speak('a')
    return decodePiper(speak(text)).map(({ ids }) => ids)
  })
} finally {
  await rm(directory, { recursive: true })
}
