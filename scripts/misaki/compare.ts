/**
 * Compares our reading of English with misaki's, by the tables of scripts/misaki/table.ts:
 * bun scripts/misaki/compare.ts FOLDER [open|sealed] [number of differences to print]
 *
 * FOLDER holds the assets of the Python package hibari-tts. Prints the phoneme error rate (edits / phonemes of misaki)
 * and the sentences that differ.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compileEnglishData } from '../english-data'
import { accents, openEnglishData } from '../../src/speech/phonemes/english/data'
import { openRuntime } from '../../src/speech/onnx/runtime'
import { compareReadings, openReaders, readTable } from '../../test/speech/misaki/tables'

const [folder, half = 'open', shown = '20'] = process.argv.slice(2)
if (!folder || (half !== 'open' && half !== 'sealed')) throw new Error('Usage: compare.ts FOLDER [open|sealed] [shown]')
const directory = mkdtempSync(join(tmpdir(), 'sonant-ort-'))
try {
  const runtime = await openRuntime({ directory, provider: 'cpu', threads: 1 })
  const readers = await openReaders(openEnglishData(await compileEnglishData(folder)), runtime, folder)
  const all = await readTable(half)
  const unquoted = all.filter(([sentence]) => !sentence.includes('"'))
  for (const [accent, rows, name] of accents.flatMap((accent) => [
    [accent, unquoted, 'without double quotation marks'] as const,
    [accent, all, 'all'] as const,
  ])) {
    const { phonemes, edits, differences } = await compareReadings(rows, accent, readers[accent])
    for (const { sentence, misaki, ours } of differences.slice(0, Number(shown)))
      console.log(`${accent}: ${sentence}\n  misaki ${misaki}\n  ours   ${ours}`)
    const percent = ((100 * edits) / phonemes).toFixed(3)
    console.log(
      `${half} half, ${accent}, ${name}: phoneme error rate ${percent} % (${edits} of ${phonemes}), ` +
        `${differences.length} of ${rows.length} sentences differ`,
    )
  }
} finally {
  rmSync(directory, { recursive: true })
}
