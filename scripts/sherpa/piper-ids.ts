/**
 * Prints the ids that sherpa-onnx feeds to a Piper voice. Reads texts from standard input (one JSON string a line);
 * writes one JSON array of runs a line. It is a separate process for the reasons in offline-tts.ts.
 * bun scripts/sherpa/piper-ids.ts VOICE CONFIG DATA_DIRECTORY < texts
 * VOICE: eSpeak NG's name. CONFIG: a file with `phoneme_id_map`. DATA_DIRECTORY: the folder of `phontab`.
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
  // sherpa-onnx accepts only symbols of one code point.
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
    // eSpeak NG starts a text with the lookahead character of the text before.
    speak('a')
    return decodePiper(speak(text)).map(({ ids }) => ids)
  })
} finally {
  await rm(directory, { recursive: true })
}
