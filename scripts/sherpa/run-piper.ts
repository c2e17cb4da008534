/** Runs sherpa-onnx as a front end for Piper in a separate process. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unpackEspeakData } from './espeak-data'

export const mapFile = join(import.meta.dir, '../../test/speech/sherpa/map.json')

/** Calls `work` with a function that returns the ids of each text's runs in an eSpeak NG voice. */
export async function withSherpa(
  work: (read: (voice: string, texts: readonly string[]) => Promise<number[][][]>) => Promise<void>,
): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'sonant-espeak-'))
  try {
    await unpackEspeakData(directory)
    await work((voice, texts) => read(voice, texts, directory))
  } finally {
    await rm(directory, { recursive: true })
  }
}

async function read(voice: string, texts: readonly string[], directory: string): Promise<number[][][]> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'piper-ids.ts'), voice, mapFile, directory], {
    stdin: new Blob([texts.map((text) => `${JSON.stringify(text)}\n`).join('')]),
    stderr: 'inherit',
  })
  const lines = (await new Response(child.stdout).text()).trimEnd().split('\n')
  if ((await child.exited) !== 0 || lines.length !== texts.length) throw new Error(`sherpa-onnx ended early: ${voice}`)
  return lines.map((line) => JSON.parse(line) as number[][])
}
