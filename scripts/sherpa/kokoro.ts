/**
 * Makes the reference table for our front ends of Kokoro and KittenTTS: the ids that sherpa-onnx feeds for each of
 * `test/speech/sherpa/kokoro-texts.ts`.
 * bun scripts/sherpa/kokoro.ts
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { kittenVocabulary } from '../../src/speech/phonemes/kitten'
import type { StyleRun } from '../../test/onnx/kokoro'
import { kokoroTexts, type SherpaRun, type SherpaTable } from '../../test/speech/sherpa/kokoro-texts'
import { unpackEspeakData } from './espeak-data'
import { replaceFile } from '../run'

const [speaker, speed] = [1, 1.25]
const symbols = new Map([...kittenVocabulary].map(([symbol, id]) => [id, symbol]))
const dataDirectory = await mkdtemp(join(tmpdir(), 'sonant-espeak-data-'))

async function ask(family: 'kokoro' | 'kitten'): Promise<SherpaRun[][]> {
  const script = join(import.meta.dir, 'kokoro-runs.ts')
  const child = Bun.spawn([process.execPath, script, family, dataDirectory, String(speaker), String(speed)], {
    stdin: new Blob(kokoroTexts.map((text) => `${JSON.stringify(text)}\n`)),
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const lines = (await new Response(child.stdout).text()).split('\n').filter(Boolean)
  if ((await child.exited) !== 0 || lines.length !== kokoroTexts.length)
    throw new Error(`sherpa-onnx ended with ${child.exitCode} after ${lines.length} of ${kokoroTexts.length} texts`)
  return lines.map((line) => (JSON.parse(line) as StyleRun[]).map(toRun))
}

function toRun(run: StyleRun): SherpaRun {
  if (run.speaker !== speaker || run.speed !== speed) throw new Error('sherpa-onnx spoke with another voice or speed')
  return [run.ids.map((id) => symbols.get(id)).join(''), run.row]
}

try {
  await unpackEspeakData(dataDirectory)
  const table: SherpaTable = { speaker, speed, kokoro: await ask('kokoro'), kitten: await ask('kitten') }
  const packed = Bun.zstdCompressSync(JSON.stringify(table), { level: 19 })
  await replaceFile(join(import.meta.dir, '../../test/speech/sherpa/kokoro.json.zst'), packed)
  console.log(`${kokoroTexts.length} texts, ${packed.length} bytes`)
} finally {
  await rm(dataDirectory, { recursive: true })
}
