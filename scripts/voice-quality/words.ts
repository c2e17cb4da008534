/** Word errors of the recogniser CMU pocketsphinx. It was trained on people: compare the voices with each other only. */
import { countWordErrors } from '../../test/words'
import type { Speaker } from './speakers'

/** Prints a row per speaker; with `isVerbose` also each sentence that was heard otherwise. */
export async function measureWords(
  speakers: readonly Speaker[],
  sentences: readonly string[],
  { speed = 1, isVerbose = false } = {},
): Promise<void> {
  for (const { name, speak } of speakers) {
    const wavs: Uint8Array[] = []
    for (const text of sentences) wavs.push(await speak(text, speed))
    const { percent, errors, words, heard } = await countWordErrors(wavs, sentences, 'careful')
    console.log(`${name.padEnd(10)} speed ${speed}: word errors ${percent.toFixed(1)} % (${errors} of ${words})`)
    if (!isVerbose) continue
    for (const [i, sentence] of heard.entries())
      if (sentence.errors > 0) console.log(`  ${sentence.errors}  ${sentences[i]}\n     ${sentence.text}`)
  }
}
