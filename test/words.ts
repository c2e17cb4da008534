/**
 * Intelligibility: the word errors of an independent recogniser (CMU pocketsphinx with Debian's en-us model). It was
 * trained on human speech, so compare values instead of reading a single one.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hasTool } from './tools'

const model = '/usr/share/pocketsphinx/model/en-us'

/** Programs and files of the recogniser, for `describeWith`. */
export const recogniserTools = ['pocketsphinx_batch', 'sox', model]
export const canRecognize = recogniserTools.every(hasTool)

/** Everyday sentences without digits, so that the spoken words equal the written ones. */
export const sentences = [
  'The weather will be warm and sunny for the rest of the week.',
  'Please leave your keys on the table before you go.',
  'She opened the window because the room was too hot.',
  'We are going to visit my brother in the city next month.',
  'The children played in the garden until it was dark.',
  'I would like a cup of coffee and a piece of cake.',
  'The train to the airport leaves from the second platform.',
  'He has worked for the same company for twenty years.',
  'Can you tell me how to get to the nearest bank?',
  'The book on the shelf belongs to my grandmother.',
  'They decided to build a new house near the river.',
  'Our teacher asked us to read the first chapter at home.',
  'It was raining so hard that we stayed inside all day.',
  'The doctor said that he should drink more water.',
  'My sister bought a red dress for the wedding.',
  'The police are looking for two men in a white car.',
  'You can find the answer on the last page of the report.',
  'The company will open three new offices in the spring.',
  'After dinner we took a long walk along the beach.',
  'The government has promised to lower the price of food.',
  'Most people think that the meeting was a great success.',
  'The old man told us a story about the war.',
  'There is not enough time to finish the work today.',
  'Good morning, and thank you for calling our office.',
]

export type WordErrors = {
  errors: number
  words: number
  percent: number
  /** Per sentence: the words that were heard, and how many errors they make. */
  heard: { text: string; errors: number }[]
}

/**
 * `careful`: a tenth of the usual states, which gives the same words in half the time. `quick`: the sound is also scored
 * in every second frame only, by its two nearest densities, a quarter of the time; of 498 words in 48 sentences of our
 * voices it mistakes 20, with the usual settings 7.
 */
const searches = { careful: ['-maxhmmpf', '3000'], quick: ['-maxhmmpf', '3000', '-ds', '2', '-topn', '2'] } as const
type Search = keyof typeof searches

/** Recognises `wavs`, one per sentence of `said`, and counts substitutions, insertions and deletions. */
export async function countWordErrors(
  wavs: readonly Uint8Array[],
  said: readonly string[],
  search: Search = 'quick',
): Promise<WordErrors> {
  const [counted] = await countEachWordErrors([wavs], said, search)
  return counted!
}

/** Counts them for several renderings of the same sentences, in one run of the recogniser: its models load slowly. */
export async function countEachWordErrors(
  renderings: readonly (readonly Uint8Array[])[],
  said: readonly string[],
  search: Search = 'quick',
): Promise<WordErrors[]> {
  const heard = await recognize(renderings.flat(), search)
  return renderings.map((_, i) => countErrors(heard.slice(i * said.length, (i + 1) * said.length), said))
}

/** What the recogniser hears in each file. */
async function recognize(wavs: readonly Uint8Array[], search: Search): Promise<string[]> {
  const work = await mkdtemp(join(tmpdir(), 'sonant-words-'))
  try {
    const names = wavs.map((_, i) => `s${String(i).padStart(3, '0')}`)
    for (const [i, name] of names.entries()) {
      const source = join(work, `${name}.source.wav`)
      await Bun.write(source, wavs[i]!)
      // The model was trained on 16 kHz with a little silence around the speech.
      run(['sox', source, '-r', '16000', join(work, `${name}.wav`), 'gain', '-n', '-3', 'pad', '0.2', '0.3'])
    }
    await Bun.write(join(work, 'list'), `${names.join('\n')}\n`)
    run([
      ...['pocketsphinx_batch', '-adcin', 'yes', '-adchdr', '44', '-remove_noise', 'no'],
      ...['-cepdir', work, '-cepext', '.wav', '-ctl', join(work, 'list'), '-hyp', join(work, 'heard')],
      ...searches[search],
      ...['-hmm', `${model}/en-us`, '-lm', `${model}/en-us.lm.bin`, '-dict', `${model}/cmudict-en-us.dict`],
    ])
    const heard = (await Bun.file(join(work, 'heard')).text()).split('\n')
    return names.map((_, i) => (heard[i] ?? '').replace(/\([^()]*\)\s*$/, '').replace(/\(\d+\)/g, ''))
  } finally {
    await rm(work, { recursive: true })
  }
}

function countErrors(heard: readonly string[], said: readonly string[]): WordErrors {
  const each = said.map((sentence, i) => {
    return { text: heard[i]!.trim(), errors: editDistance(toWords(sentence), toWords(heard[i]!)) }
  })
  const errors = each.reduce((sum, sentence) => sum + sentence.errors, 0)
  const words = said.reduce((sum, sentence) => sum + toWords(sentence).length, 0)
  return { errors, words, percent: (100 * errors) / words, heard: each }
}

function toWords(sentence: string): string[] {
  return sentence
    .toLowerCase()
    .replace(/[^a-z' ]/g, ' ')
    .split(/\s+/)
    .filter(Boolean)
}

/** Returns the Levenshtein distance in words. */
function editDistance(said: string[], heard: string[]): number {
  let row = Array.from({ length: heard.length + 1 }, (_, j) => j)
  for (const [i, word] of said.entries()) {
    const next = [i + 1]
    for (const [j, other] of heard.entries())
      next.push(Math.min(row[j + 1]! + 1, next[j]! + 1, row[j]! + (word === other ? 0 : 1)))
    row = next
  }
  return row[heard.length]!
}

function run(command: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(command, { stdout: 'ignore' })
  if (exitCode !== 0) throw new Error(`${command[0]} ended with ${exitCode}: ${stderr.toString().slice(-400)}`)
}
