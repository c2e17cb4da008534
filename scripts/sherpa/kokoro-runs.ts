/**
 * What sherpa-onnx feeds to a Kokoro or KittenTTS model, for texts on the standard input (one JSON string a line);
 * answers with one JSON array of runs a line: `[{ ids, row, speaker, speed }, …]`. It is a process of its own:
 * sherpa-onnx ends it on metadata that it does not like, and takes the folder of eSpeak NG's data once per process.
 *
 *   bun scripts/sherpa/kokoro-runs.ts kokoro|kitten DATA_DIRECTORY SPEAKER SPEED < texts
 *
 * DATA_DIRECTORY: where `phontab` is. Both have the alphabet of StyleTTS 2, which Kokoro v0.19 has too.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { kittenVocabulary } from '../../src/speech/phonemes/kitten'
import { decodeRuns, sherpaNames, styleModel, styleRows } from '../../test/onnx/kokoro'

type OfflineTts = { generate(request: object): { samples: Float32Array } }
const { OfflineTts } = createRequire(import.meta.url)('sherpa-onnx-node') as {
  OfflineTts: new (options: object) => OfflineTts
}

const speakers = 3
const families = {
  kokoro: { rows: 510, metadata: { model_type: 'kokoro', style_dim: '510,1,256', speaker_names: 'a,b,c' } },
  kitten: { rows: 1, metadata: { model_type: 'kitten-tts', style_dim: '1,256', speaker_names: 'a,b,c' } },
} as const

const [family, dataDir, speaker, speed] = process.argv.slice(2) as [keyof typeof families, string, string, string]
const { rows, metadata } = families[family]
const directory = await mkdtemp(join(tmpdir(), 'sonant-sherpa-'))
const write = async (name: string, content: string | Uint8Array) => {
  await Bun.write(join(directory, name), content)
  return join(directory, name)
}
try {
  const common = { language: 'English', has_espeak: 1, sample_rate: 24_000, version: 1, voice: 'en-us' }
  const styles = Array.from({ length: speakers }, (_, index) => Buffer.from(styleRows(index, rows).buffer))
  const tts = new OfflineTts({
    model: {
      [family]: {
        model: await write(
          'model.onnx',
          styleModel({ names: [...sherpaNames], metadata: { ...common, ...metadata, n_speakers: speakers } }),
        ),
        voices: await write('voices.bin', Buffer.concat(styles)),
        tokens: await write('tokens.txt', [...kittenVocabulary].map(([symbol, id]) => `${symbol} ${id}\n`).join('')),
        dataDir,
      },
      numThreads: 1,
      provider: 'cpu',
    },
    maxNumSentences: 1,
    silenceScale: 1,
  })
  for (const line of (await Bun.stdin.text()).split('\n')) {
    if (!line) continue
    const request = { text: JSON.parse(line), sid: Number(speaker), speed: Number(speed), enableExternalBuffer: false }
    console.log(JSON.stringify(decodeRuns(tts.generate(request).samples)))
  }
} finally {
  await rm(directory, { recursive: true })
}
