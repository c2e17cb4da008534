/**
 * misaki's reading of English for models that were trained with it. Its data is built in but not part of the repository;
 * a build may lack it.
 */
import { findBuiltIn, readEnglishData } from '../../assets/built-in'
import type { EnglishFiles } from '../../assets/embedded'
import type { Runtime } from '../onnx/runtime'
import { type Accent, type EnglishData, openEnglishData } from './english/data'
import { createEnglishReader, type EnglishReader } from './english/reader'
import { UnknownWords } from './english/unknown-words'
import { loadPhonemizer, type Phonemizer } from './espeak'
import { toMisaki } from './misaki'
import { type PhonemizedText, speak, type Token } from './spoken'

export type { Accent } from './english/data'
export type { EnglishReader } from './english/reader'

/** Throws in a build without the data. */
export type OpenEnglishReader = (runtime: Runtime, accent: Accent) => Promise<EnglishReader>

/** eSpeak NG's names. */
export const englishVoices: Readonly<Record<Accent, string>> = { american: 'en-us', british: 'en' }

/** Whether this build can read English so. */
export function hasEnglishReading(): boolean {
  return findBuiltIn() !== undefined
}

let data: Promise<EnglishData> | undefined
let phonemizer: Promise<Phonemizer> | undefined

/** Loads the data once per process. The network for unknown words is opened with the first one. */
export const openEnglishReader: OpenEnglishReader = async (runtime, accent) => {
  const opened = await loadEnglish()
  let opening: Promise<UnknownWords> | undefined
  const open = async () =>
    UnknownWords.open(runtime, await readFile(requireFiles().networks[accent]), opened.networks[accent])
  return createEnglishReader(opened, accent, async (word) => {
    const network = await (opening ??= open())
    return network.knows(word) ? network.read(word) : readWithEspeak(word, accent)
  })
}

/** Throws in a build without the data. */
export async function loadEnglish(): Promise<EnglishData> {
  return (data ??= loadData(requireFiles()))
}

async function loadData(files: EnglishFiles): Promise<EnglishData> {
  return openEnglishData(await readEnglishData(files.data))
}

function requireFiles(): EnglishFiles {
  const files = findBuiltIn()?.english
  if (files === undefined) throw new Error('this build has no data for reading English')
  return files
}

/** Embedded files have no path that onnxruntime can open. */
function readFile(path: string): Promise<Uint8Array> {
  return Bun.file(path).bytes()
}

/** eSpeak NG names letters of all scripts. */
async function readWithEspeak(word: string, accent: Accent): Promise<string> {
  const { tokens } = await speak(await (phonemizer ??= loadPhonemizer()), word, {
    voice: englishVoices[accent],
    spell: (sounds) => toMisaki(sounds, accent),
    spellMarks: () => '',
  })
  return tokens.map((token) => token.text).join('')
}

/** `text`: a normalized English text. The result may hold tokens that a vocabulary lacks. */
export async function speakEnglish(reader: EnglishReader, text: string): Promise<PhonemizedText> {
  const tokens: Token[] = []
  const words: string[] = []
  for (const { start, end, phonemes, isWord, spaceAfter } of (await reader.read(text)).parts) {
    const isSpoken = isWord && phonemes !== ''
    if (isSpoken) words.push(text.slice(start, end))
    for (const token of phonemes) tokens.push({ text: token, word: isSpoken ? words.length - 1 : -1 })
    if (spaceAfter && tokens.at(-1)?.text !== ' ') tokens.push({ text: ' ', word: -1 })
  }
  return { tokens, words }
}
