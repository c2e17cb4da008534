/** Measures the English voices as `docs/voices.md` reports them: `bun scripts/voices.ts` prints the table's rows. */
import { concatenate } from '../src/audio/pcm'
import { measureVoice } from '../src/cloning/adapt/measure'
import { readWav } from '../test/sound'
import { canRecognize, countWordErrors, sentences } from '../test/words'
import { startSonant, stopAndRemove } from '../test/executable/sonant'

if (!canRecognize) throw new Error('needs sox, pocketsphinx and pocketsphinx-en-us')
const sonant = await startSonant()
const { voices } = (await (await sonant.request('/api/v1/voices')).json()) as { voices: Record<string, string>[] }
console.log('| Voice | Name | Gender | Pitch | Harmonicity | Word errors |\n|---|---|---|---|---|---|')
for (const { id, display_name, gender, language } of voices) {
  if (!language!.startsWith('en')) continue
  const wavs: Uint8Array[] = []
  for (const text of sentences) wavs.push((await sonant.speak({ text, voice_id: id, format: 'wav' })).audio)
  const { pitchHz, harmonicityDb } = measureVoice(concatenate(wavs.map(readWav)))
  const { percent, errors, words } = await countWordErrors(wavs, sentences, 'careful')
  const measured = `${pitchHz.toFixed(0)} Hz | ${harmonicityDb.toFixed(1)} dB`
  console.log(
    `| \`${id}\` | ${display_name} | ${gender} | ${measured} | ${percent.toFixed(1)} % (${errors} of ${words}) |`,
  )
}
await stopAndRemove(sonant)
