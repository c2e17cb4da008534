/**
 * English sentences for comparing our reading with misaki's: the texts of the Piper tables, the prose of the documents,
 * and pseudo-random sentences, the same on every run. All pass our normalization first, so that they hold words only.
 */
import { join } from 'node:path'
import { Glob } from 'bun'
import { cleanText } from '../../src/speech/text/clean'
import { normalize } from '../../src/speech/text/normalize'
import { splitSentences } from '../../src/speech/text/sentences'
import { tuningTexts } from '../../src/speech/tuning-texts'
import { createRandom } from '../random'
import { makeTexts } from '../sherpa/texts'
import { textsOf } from '../voice-texts'
import { root } from '../run'

const wordsMax = 40
const sherpaSentences = 1_500
const writtenSentences = 1_200
const madeSentences = 900

/** Sentences by source, as an engine gets them. No sentence is in two sources. */
export async function makeSentences(): Promise<Record<'sherpa' | 'documents' | 'made', string[]>> {
  const seen = new Set<string>()
  const take = (texts: readonly string[], count: number) => {
    const taken: string[] = []
    for (const sentence of texts.flatMap(readSentences)) {
      if (taken.length === count) break
      if (seen.has(sentence)) continue
      seen.add(sentence)
      taken.push(sentence)
    }
    return taken
  }
  return {
    sherpa: take(makeTexts('en-us', 1_500), sherpaSentences),
    documents: take([...textsOf('en'), ...tuningTexts('en-US'), ...(await proseOfDocuments())], writtenSentences),
    made: take(makeUp(madeSentences * 2), madeSentences),
  }
}

function readSentences(text: string): string[] {
  return splitSentences(cleanText(text))
    .map((sentence) => normalize(sentence.text, 'en-US'))
    .filter((sentence) => /[a-z]/i.test(sentence) && sentence.split(' ').length <= wordsMax)
}

/** Paragraphs and list items, without code, tables, links' addresses and headings. */
async function proseOfDocuments(): Promise<string[]> {
  const paragraphs: string[] = []
  for (const file of ['README.md', ...[...new Glob('docs/*.md').scanSync(root)].sort()]) {
    const text = await Bun.file(join(root, file)).text()
    const prose = text
      .replace(/^```[^]*?^```/gm, '')
      .replace(/^[|#].*$/gm, '')
      .replace(/\]\([^)]*\)/g, ']')
    paragraphs.push(...prose.split(/\n\s*\n|\n(?=\s*[-*\d])/).map((paragraph) => paragraph.replace(/\s+/g, ' ').trim()))
  }
  return paragraphs
}

const subjects = `The old captain|A young reporter|My sister's friends|Nobody|Somebody in the office|The children|Dr. Reyes|Mrs. Okafor
  |An engineer from Oslo|The people who live here|Everyone|Our record|The close relatives|The content|An object
  |The desert|A minute detail|The present mayor|The live show|The tear in her coat|The lead singer|The wind|An excuse
  |The conduct of the crew|Two doves|The USB adapter|The well-known actor|A NASA spokeswoman|O'Brien|McAllister
  |Zelenograd|The Kwisatz twins|Ms. Vandersloot|The kids' teacher|The boss's plan|Half of them|You|They|We|I|She|He`
const verbs = `read|reads|has read|will read|lives near|used to visit|is used to|objected to|recorded|could not bear|presented|wound
  |tore up|led|closed|was about to close|patted|wanted|started painting|is editing|waited for|avoided|created|visited
  |doesn't know|won't forget|can't have|shouldn't've touched|would've liked|hadn't heard of|we'd said|'ll see|bowed to
  |permitted|refused|estimated|separated|attributed|digitized|googled|blorked|is vlogging about|unfriended|re-reads
  |refuses to let in|looked up|put off|has to|am used to|perfected|contracts|produces|insults|rebels against|deserted`
const objects = `a book|the apple|an hour-long talk|the old houses|the U.S. market|it|them all|every house|lead pipes|the red car
  |an intimate moment|the invalid argument|his separate room|an alternate route|the record|the estimate|a bass guitar
  |the bass he caught|the row of houses|a sewer|the wound|a project|the permit|the produce|the conflict|a moderate diet
  |their graduate students|the delegate|the axes|the GPU|an SQL query|an FM radio|the B-side|its e-mail|the café menu
  |Mr. Ng's naïve idea|the quux|several flibbertigibbets|gnocchi|a tiramisu|the Dvořák symphony|the pho|Uber|Kubernetes
  |JavaScript|PostgreSQL|the zygote|the syzygy|a tsundoku habit|the antidisestablishmentarian|an unbelievably big one`
const places = `in the morning|in an hour|by the sea|by air|to the end|to all of us|to a friend|at last|in|by|to and fro|up the hill
  |on the way home|as well as I can|after I've eaten|before it's too late|that they had had|and that's that
  |, which is odd,|, as usual|; nobody cared|: at least so it seemed|, too|, in Edinburgh|, said Tom|, "Stop it!"|(or not)
  |-- or so we think|... perhaps|'cause it was theirs|if I am|because I am able|when we use it|for its use|with excuses
  |from St. Petersburg|near the Thames|over Lake Erie|in Worcestershire|at 5 o'clock|on the 3rd of May|for 20 dollars`
const endings = '.|.|.|.|.|!|?|?|...|'

/** Sentences from parts with words that are read in several ways, names, contractions and words of no dictionary. */
function makeUp(count: number): string[] {
  const { next: random, pick } = createRandom(20_261_122)
  const split = (list: string) => list.split('|').map((part) => part.trim())
  const parts = [subjects, verbs, objects, places].map(split)
  const ends = split(endings)
  const texts = new Set<string>()
  while (texts.size < count) {
    let text = parts.map(pick).join(' ')
    if (random() < 0.3) text += ` and ${pick(parts[1]!)} ${pick(parts[2]!)}`
    if (random() < 0.08) text = text.toUpperCase()
    texts.add(`${text}${pick(ends)}`.replace(/ ([,;:.])/g, '$1'))
  }
  return [...texts]
}
