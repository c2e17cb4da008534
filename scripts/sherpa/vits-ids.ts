/**
 * What ids sherpa-onnx feeds to a VITS model with tokens and a lexicon, for texts on the standard input (one JSON string
 * a line); answers with one JSON array of runs a line, each `[ids]` or, of a model with tones, `[ids, tones]`. It is a
 * process of its own: sherpa-onnx ends it on metadata or files that it does not like.
 *
 *   bun scripts/sherpa/vits-ids.ts DIRECTORY [toned] < texts
 *
 * DIRECTORY: of a pack whose `model.onnx` is a transparent model of test/onnx/vits.ts.
 */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { decodeVits } from '../../test/onnx/vits'

type OfflineTts = { generate(request: object): { samples: Float32Array } }
const { OfflineTts } = createRequire(import.meta.url)('sherpa-onnx-node') as {
  OfflineTts: new (options: object) => OfflineTts
}

const [directory, toned] = process.argv.slice(2) as [string, string | undefined]
const lexicon = join(directory, 'lexicon.txt')
const tts = new OfflineTts({
  model: {
    vits: {
      model: join(directory, 'model.onnx'),
      tokens: join(directory, 'tokens.txt'),
      ...(existsSync(lexicon) && { lexicon }),
    },
    numThreads: 1,
    provider: 'cpu',
  },
  maxNumSentences: 1,
  silenceScale: 1,
})
for (const line of (await Bun.stdin.text()).split('\n')) {
  if (!line) continue
  const { samples } = tts.generate({ text: JSON.parse(line), sid: 0, speed: 1, enableExternalBuffer: false })
  const runs = decodeVits(samples, toned === 'toned')
  console.log(JSON.stringify(runs.map(({ ids, tones }) => (toned ? [ids, tones] : [ids]))))
}
