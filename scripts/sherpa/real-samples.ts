/**
 * Prints what sherpa-onnx makes of texts with a model file and its tokens. Reads texts from standard input (one JSON
 * string a line), writes the samples of each as float32 to `DIRECTORY/NUMBER.f32`, and prints their number.
 * It is a separate process for the reasons in offline-tts.ts.
 * bun scripts/sherpa/real-samples.ts DIRECTORY 'MODEL AS JSON'
 */
import { join } from 'node:path'
import { answerLines, openSherpa } from './offline-tts'

const [directory, model] = process.argv.slice(2) as [string, string]
const speak = openSherpa(JSON.parse(model) as Record<string, object>)
let number = 0
await answerLines(async (text) => {
  const samples = speak(text)
  await Bun.write(join(directory, `${number++}.f32`), samples)
  return samples.length
})
