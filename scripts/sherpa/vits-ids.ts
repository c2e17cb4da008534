/**
 * Prints the ids that sherpa-onnx feeds to a VITS model with tokens and a lexicon. Reads texts from standard input (one
 * JSON string a line); writes one JSON array of runs a line, each `[ids]` or, for a model with tones, `[ids, tones]`.
 * It is a separate process for the reasons in offline-tts.ts.
 * bun scripts/sherpa/vits-ids.ts DIRECTORY [toned] < texts
 * DIRECTORY: a pack whose `model.onnx` is a transparent model of test/onnx/vits.ts.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { decodeVits } from '../../test/onnx/vits'
import { answerLines, openSherpa } from './offline-tts'

const [directory, toned] = process.argv.slice(2) as [string, string | undefined]
const lexicon = join(directory, 'lexicon.txt')
const speak = openSherpa({
  vits: {
    model: join(directory, 'model.onnx'),
    tokens: join(directory, 'tokens.txt'),
    ...(existsSync(lexicon) && { lexicon }),
  },
})
await answerLines((text) => {
  const runs = decodeVits(speak(text), toned === 'toned')
  return runs.map(({ ids, tones }) => (toned ? [ids, tones] : [ids]))
})
