/**
 * Compares our ids for Piper voices with those of sherpa-onnx on any number of new texts:
 * bun scripts/sherpa/piper-compare.ts [VOICE [COUNT [SEED]]]
 */
import { loadPhonemizer } from '../../src/speech/phonemes/espeak'
import { readPiper } from '../../src/speech/phonemes/piper'
import { mapFile, withSherpa } from './run-piper'
import { makeTexts } from './texts'

const [voice = 'en-us', count = '1000', seed = String(Date.now() % 1e6)] = process.argv.slice(2)
const { phoneme_id_map: map } = (await Bun.file(mapFile).json()) as { phoneme_id_map: Record<string, number[]> }
const ids = new Map(Object.entries(map))
const alphabet = { phonemeType: 'espeak', espeakVoice: voice, ids, replacements: new Map(), vowelClusters: [] } as const
const phonemizer = await loadPhonemizer()

await withSherpa(async (read) => {
  const texts = makeTexts(voice, Number(count), Number(seed))
  const theirs = await read(voice, texts)
  let different = 0
  for (const [index, text] of texts.entries()) {
    const ours = (await readPiper(text, alphabet, async () => phonemizer)).map((run) => run.ids)
    if (
      Bun.deepEquals(
        ours,
        theirs[index]!.filter((run) => run.length > 3),
      )
    )
      continue
    different++
    console.log(JSON.stringify({ text, ours, theirs: theirs[index] }))
  }
  console.log(`${voice}, seed ${seed}: ${different} of ${texts.length} texts differ`)
  if (different > 0) process.exitCode = 1
})
