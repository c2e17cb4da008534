/**
 * Counts wrong readings of words with two readings, by our reader of English and by eSpeak NG:
 * bun scripts/misaki/homographs.ts FOLDER
 *
 * FOLDER holds the assets of the Python package hibari-tts.
 */
import { compileEnglishData } from '../english-data'
import { openEnglishData } from '../../src/speech/phonemes/english/data'
import { loadPhonemizer } from '../../src/speech/phonemes/espeak'
import { findWrongReadings, homographSentences } from '../../test/speech/misaki/homographs'
import { readWithEspeak, readWithLexicons } from '../../test/speech/misaki/tables'

const folder = process.argv[2]
if (!folder) throw new Error('Usage: homographs.ts FOLDER')
const data = openEnglishData(await compileEnglishData(folder))
const frontEnds = { lexicons: readWithLexicons(data), 'eSpeak NG': readWithEspeak(await loadPhonemizer()) }
for (const [name, readWords] of Object.entries(frontEnds)) {
  const wrong = await findWrongReadings(readWords)
  const percent = ((100 * wrong.length) / homographSentences.length).toFixed(1)
  console.log(`${name}: ${wrong.length} of ${homographSentences.length} wrong (${percent} %)\n  ${wrong.join('\n  ')}`)
}
