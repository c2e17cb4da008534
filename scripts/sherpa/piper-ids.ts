/**
 * What ids sherpa-onnx feeds to a Piper voice, for texts on the standard input (one JSON string a line); answers with one
 * JSON array of runs a line. It is a process of its own: sherpa-onnx ends it on metadata that it does not like, and takes
 * the folder of eSpeak NG's data once per process.
 *
 *   bun scripts/sherpa/piper-ids.ts VOICE CONFIG DATA_DIRECTORY < texts
 *
 * VOICE: eSpeak NG's name of it. CONFIG: a file with `phoneme_id_map`. DATA_DIRECTORY: where `phontab` is.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodePiper, piperModel } from '../../test/onnx/piper'

type OfflineTts = { generate(request: object): { samples: Float32Array } }
const { OfflineTts } = createRequire(import.meta.url)('sherpa-onnx-node') as {
  OfflineTts: new (options: object) => OfflineTts
}

const [voice, configPath, dataDirectory] = process.argv.slice(2) as [string, string, string]
const { phoneme_id_map: map } = (await Bun.file(configPath).json()) as { phoneme_id_map: Record<string, number[]> }
const directory = await mkdtemp(join(tmpdir(), 'sonant-sherpa-'))
try {
  // sherpa-onnx takes symbols of one code point each.
  const tokens = Object.entries(map).filter(([symbol]) => [...symbol].length === 1 && symbol !== '\n')
  await Bun.write(join(directory, 'tokens.txt'), tokens.map(([symbol, [id]]) => `${symbol} ${id}\n`).join(''))
  const metadata = { model_type: 'vits', comment: 'piper', language: 'English', voice, n_speakers: 1, has_espeak: 1 }
  await Bun.write(join(directory, 'model.onnx'), piperModel({ metadata: { ...metadata, sample_rate: 22_050 } }))
  const tts = new OfflineTts({
    model: {
      vits: {
        model: join(directory, 'model.onnx'),
        tokens: join(directory, 'tokens.txt'),
        dataDir: dataDirectory,
      },
      numThreads: 1,
      provider: 'cpu',
    },
    maxNumSentences: 1,
    silenceScale: 1,
  })
  for (const line of (await Bun.stdin.text()).split('\n')) {
    if (!line) continue
    const generate = (text: string) => tts.generate({ text, sid: 0, speed: 1, enableExternalBuffer: false }).samples
    // eSpeak NG begins a text with the character that it had looked ahead to in the one before.
    generate('a')
    console.log(JSON.stringify(decodePiper(generate(JSON.parse(line))).map(({ ids }) => ids)))
  }
} finally {
  await rm(directory, { recursive: true })
}
