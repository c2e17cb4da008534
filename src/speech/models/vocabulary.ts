/**
 * Reads the vocabulary of a pack: `tokens.txt` of sherpa-onnx; for Kokoro's alphabet also `config.json` of hexgrad,
 * `tokenizer.json` of Hugging Face, or the config in the graph's metadata, as in kokoro-onnx.
 */
import { isFields } from '../../fields'
import { BadJson, parseJson } from '../../json'
import { parseTokens } from '../phonemes/lexicon'
import type { Vocabulary } from '../phonemes/runs'
import type { PackFolder } from './family'
import { BadPack } from './pack'

export const tokensFile = 'tokens.txt'
const tokensBytesMax = 1 << 20

/** The first phoneme vocabulary found. `metadata`: of the graph. Throws `BadPack`, also without any. */
export async function readVocabulary(
  folder: PackFolder,
  metadata: Readonly<Record<string, string>>,
): Promise<Vocabulary> {
  for (const [file, read] of vocabularyReaders) {
    if (!folder.files.includes(file)) continue
    const vocabulary = await read(folder, file)
    if (vocabulary !== undefined) return requirePhonemes(vocabulary, file)
  }
  const config = metadata['kokoro_config']
  if (config !== undefined) {
    const vocabulary = fromObject(fieldOf(parse(config), 'vocab'))
    return requirePhonemes(vocabulary ?? new Map(), 'kokoro_config in the metadata of the graph')
  }
  throw new BadPack('there is no vocabulary: tokens.txt, tokenizer.json, or config.json of hexgrad/Kokoro-82M')
}

/** Reads a file that is one object of symbols and their ids. Throws `BadPack`. */
export async function readSymbols(folder: PackFolder, file: string): Promise<Vocabulary> {
  return requirePhonemes(fromObject(await folder.readJson(file)) ?? new Map(), file)
}

function requirePhonemes(vocabulary: Vocabulary, file: string): Vocabulary {
  if (!vocabulary.has('ə') || !vocabulary.has(' ')) throw new BadPack(`${file} has no vocabulary of phonemes`)
  return vocabulary
}

/** Returns undefined for invalid JSON. */
function parse(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof BadJson) return undefined
    throw error
  }
}

type ReadVocabulary = (folder: PackFolder, file: string) => Promise<Vocabulary | undefined>

const vocabularyReaders: readonly (readonly [string, ReadVocabulary])[] = [
  [tokensFile, ({ read }) => readTokens(read)],
  ['config.json', async (folder, file) => fromObject((await folder.readJson(file))['vocab'])],
  ['tokenizer.json', async (folder, file) => fromObject(fieldOf((await folder.readJson(file))['model'], 'vocab'))],
]

function fieldOf(value: unknown, name: string): unknown {
  return isFields(value) ? value[name] : undefined
}

function fromObject(value: unknown): Vocabulary | undefined {
  if (!isFields(value)) return undefined
  const entries = Object.entries(value)
  const ids = entries.filter(
    (entry): entry is [string, number] => Number.isInteger(entry[1]) && (entry[1] as number) >= 0,
  )
  return ids.length === entries.length ? new Map(ids) : undefined
}

/** Reads `tokens.txt`. `read`: reads a file of the pack. Throws `BadPack`. */
export async function readTokens(read: PackFolder['read']): Promise<Vocabulary> {
  const vocabulary = parseTokens(new TextDecoder().decode(await read(tokensFile, tokensBytesMax)))
  if (!vocabulary) throw new BadPack(`${tokensFile} is not one symbol and its id per line`)
  return vocabulary
}
