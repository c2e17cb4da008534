/**
 * Our ids for Piper voices compared with sherpa-onnx, an independent implementation, by a table from
 * scripts/sherpa/piper-table.ts. docs/models.md explains the differences.
 */
import { describe, expect, it } from 'bun:test'
import { join } from 'node:path'
import { Glob } from 'bun'
import { loadPhonemizer } from '../../../src/speech/phonemes/espeak'
import { type PiperAlphabet, readPiper } from '../../../src/speech/phonemes/piper'

type Row = [text: string, runs: number[][]]
const { phoneme_id_map: map } = (await Bun.file(join(import.meta.dir, 'map.json')).json()) as {
  phoneme_id_map: Record<string, number[]>
}
const phonemizer = loadPhonemizer()

async function readTable(voice: string): Promise<Row[]> {
  const bytes = Bun.zstdDecompressSync(await Bun.file(join(import.meta.dir, `piper-${voice}.jsonl.zst`)).bytes())
  return new TextDecoder()
    .decode(bytes)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Row)
}

/** Differing texts: `text`, theirs, ours. */
async function findDifferences(voice: string) {
  const alphabet: PiperAlphabet = {
    phonemeType: 'espeak',
    espeakVoice: voice,
    ids: new Map(Object.entries(map)),
    replacements: new Map(),
    vowelClusters: [],
  }
  const rows = await readTable(voice)
  const differences: { text: string; theirs: number[][]; ours: (readonly number[])[] }[] = []
  for (const [text, runs] of rows) {
    // sherpa-onnx also runs the graph on empty sentences.
    const theirs = runs.filter((ids) => ids.length > 3)
    const ours = (await readPiper(text, alphabet, () => phonemizer)).map(({ ids }) => ids)
    if (!Bun.deepEquals(ours, theirs)) differences.push({ text, theirs, ours })
  }
  return { count: rows.length, differences }
}

describe('ids for Piper', () => {
  for (const file of [...new Glob('piper-*.jsonl.zst').scanSync(import.meta.dir)].sort()) {
    const voice = file.slice('piper-'.length, -'.jsonl.zst'.length)
    it(`equal those of sherpa-onnx, voice ${voice}`, async () => {
      const { count, differences } = await findDifferences(voice)
      expect(count).toBeGreaterThanOrEqual(voice === 'en-us' || voice === 'cmn' ? 1_000 : 200)
      expect(differences.map(({ text }) => text)).toEqual([])
    }, 60_000)
  }
})
