/**
 * Measures the sound of the real models beside built-in voices, from the compiled executable:
 * bun scripts/voice-quality/main.ts [PART…] [--voice NAME]… [--verbose]
 * The parts are below; without one all run. `--verbose` prints the sentences that were heard otherwise.
 */
import { parseArgs } from 'node:util'
import { canRecognize } from '../../test/words'
import { measureMandarin } from './mandarin'
import { withPackages } from './packages'
import { measureSameness } from './same'
import { measureJoins, measureLevels, measureSpeeds } from './sound'
import { type Speaker, speakerNames, withSpeakers } from './speakers'
import { drawSpectrograms } from './spectrograms'
import { english, joined, mandarin } from './texts'
import { measureRealTime } from './real-time'
import { measureWords } from './words'
import type { EphemeralSonant } from '../../test/executable/sonant'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { voice: { type: 'string', multiple: true }, verbose: { type: 'boolean', default: false } },
})
/** Fewer sentences at each further speed. */
const atSpeeds = english.slice(0, 20)
const speeds = [0.5, 0.75, 1.5, 2]

type Part = (english: readonly Speaker[], mandarin: readonly Speaker[], sonant: EphemeralSonant) => Promise<void>
const parts: Record<string, Part> = {
  async words(speakers) {
    if (!canRecognize) throw new Error('needs sox, pocketsphinx and pocketsphinx-en-us')
    await measureWords(speakers, english, { isVerbose: values.verbose })
  },
  async packages() {
    if (!canRecognize) throw new Error('needs sox, pocketsphinx and pocketsphinx-en-us')
    await withPackages(values.voice ?? speakerNames, (speakers) =>
      measureWords(speakers, english, { isVerbose: values.verbose }),
    )
  },
  levels: (speakers) => measureLevels(speakers, english),
  joins: (speakers) => measureJoins(speakers, joined),
  async speeds(speakers) {
    await measureSpeeds(speakers, atSpeeds, speeds)
    if (!canRecognize) return
    for (const speed of [1, ...speeds]) await measureWords(speakers, atSpeeds, { speed, isVerbose: values.verbose })
  },
  mandarin: (_, speakers) => measureMandarin(speakers),
  same: (speakers, others, sonant) => measureSameness([...speakers, ...others], [english[0]!, mandarin[0]!], sonant),
  'real-time': (speakers, _, sonant) => measureRealTime(speakers, english.slice(40, 48), sonant),
  spectrograms: (speakers, others) => drawSpectrograms([...speakers, ...others]),
}

const names = positionals.length > 0 ? positionals : Object.keys(parts)
const unknown = names.find((name) => !(name in parts))
if (unknown !== undefined)
  throw new Error(`There is no part "${unknown}"; there are: ${Object.keys(parts).join(', ')}.`)
await withSpeakers(values.voice ?? speakerNames, async (wanted, sonant) => {
  const isMandarin = ({ name }: Speaker) => name === 'Xiaobei'
  for (const name of names) {
    console.log(`\n${name}`)
    await parts[name]!(
      wanted.filter((speaker) => !isMandarin(speaker)),
      wanted.filter(isMandarin),
      sonant,
    )
  }
})
