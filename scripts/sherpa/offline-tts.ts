/**
 * A wrapper of sherpa-onnx-node. sherpa-onnx ends the process on unsupported metadata or files, and sets the folder of
 * eSpeak NG's data once per process.
 */
import { createRequire } from 'node:module'

type Request = { text: string; sid: number; speed: number; enableExternalBuffer: boolean }
type Sherpa = {
  OfflineTts: new (options: object) => { generate(request: Request): { samples: Float32Array } }
}

export type Speak = (text: string, options?: { readonly speaker: number; readonly speed: number }) => Float32Array

/**
 * `model`: files of a family, e.g. `{ vits: { model, tokens, dataDir } }`. Each sentence is a run without a pause after
 * it.
 */
export function openSherpa(model: Readonly<Record<string, object>>, threads = 1): Speak {
  const { OfflineTts } = createRequire(import.meta.url)('sherpa-onnx-node') as Sherpa
  const tts = new OfflineTts({
    model: { ...model, numThreads: threads, provider: 'cpu' },
    maxNumSentences: 1,
    silenceScale: 1,
  })
  return (text, { speaker, speed } = { speaker: 0, speed: 1 }) =>
    tts.generate({ text, sid: speaker, speed, enableExternalBuffer: false }).samples
}

/** Answers each line of standard input, a JSON string, with one line of JSON. */
export async function answerLines(answer: (text: string) => unknown): Promise<void> {
  for (const line of (await Bun.stdin.text()).split('\n'))
    if (line) console.log(JSON.stringify(await answer(JSON.parse(line) as string)))
}
