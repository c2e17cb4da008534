/** The tables of misaki's readings of English, and the comparison of a reader with them. */
import { join } from 'node:path'
import { distance } from 'fastest-levenshtein'
import type { Runtime } from '../../../src/speech/onnx/runtime'
import { type Accent, accents, type EnglishData } from '../../../src/speech/phonemes/english/data'
import { createEnglishReader, type EnglishReader } from '../../../src/speech/phonemes/english/reader'
import type { Phonemizer } from '../../../src/speech/phonemes/espeak'
import { toMisaki } from '../../../src/speech/phonemes/misaki'
import { speak } from '../../../src/speech/phonemes/spoken'
import { UnknownWords } from '../../../src/speech/phonemes/english/unknown-words'
import type { ReadWords } from './homographs'

export type Row = readonly [sentence: string, american: string, british: string]

/** Sentences were distributed by a hash; the reader was made with the open half. */
export async function readTable(half: 'open' | 'sealed'): Promise<Row[]> {
  const bytes = Bun.zstdDecompressSync(await Bun.file(join(import.meta.dir, `${half}.jsonl.zst`)).bytes())
  const lines = new TextDecoder().decode(bytes).trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line) as Row)
}

const graphs: Readonly<Record<Accent, string>> = { american: 'oov.onnx', british: 'oov_gb.onnx' }

/** `folder`: with the graphs of the networks for unknown words. */
export async function openReaders(
  data: EnglishData,
  runtime: Runtime,
  folder: string,
): Promise<Record<Accent, EnglishReader>> {
  const open = async (accent: Accent) => {
    const network = await UnknownWords.open(runtime, join(folder, graphs[accent]), data.networks[accent])
    return createEnglishReader(data, accent, (word) => network.read(word))
  }
  return { american: await open('american'), british: await open('british') }
}

/** American. Words that the lexicons lack stay silent. */
export function readWithLexicons(data: EnglishData): ReadWords {
  const reader = createEnglishReader(data, 'american', async () => '')
  return async (sentence) => {
    const { parts } = await reader.read(sentence)
    return parts.map(({ start, end, phonemes }) => ({ text: sentence.slice(start, end), phonemes }))
  }
}

/** American, in misaki's letters. */
export function readWithEspeak(phonemizer: Phonemizer): ReadWords {
  return async (sentence) => {
    const { tokens, words } = await speak(phonemizer, sentence, {
      voice: 'en-us',
      spell: (word) => toMisaki(word, 'american'),
      spellMarks: (marks) => marks,
    })
    return words.map((text, at) => ({
      text,
      phonemes: tokens
        .filter(({ word }) => word === at)
        .map((token) => token.text)
        .join(''),
    }))
  }
}

export type Difference = { readonly sentence: string; readonly misaki: string; readonly ours: string }

/** `phonemes`: characters that misaki wrote. `edits`: insertions, deletions and replacements. */
export async function compareReadings(rows: readonly Row[], accent: Accent, reader: EnglishReader) {
  const differences: Difference[] = []
  let phonemes = 0
  let edits = 0
  for (const row of rows) {
    const misaki = row[1 + accents.indexOf(accent)]!
    const ours = (await reader.read(row[0])).phonemes
    phonemes += misaki.length
    edits += distance(misaki, ours)
    if (misaki !== ours) differences.push({ sentence: row[0], misaki, ours })
  }
  return { phonemes, edits, differences }
}
