/**
 * `bun scripts/unspoken.ts`: asks the built-in engines for every letter, mark and number that a text can send them, and
 * writes those that they do not speak to `src/speech/text/unspoken.json`. Run it again after an update of an engine, of
 * Bun (its version of Unicode) or of the scripts of a voice (`script.ts`, `voices/catalogue.json`). Names of rows (`flite`,
 * `espeak cmn`) as arguments limit the run to these rows and keep the others.
 *
 * A voice is asked for the letters of its own scripts, for Latin letters, which it may have to say inside a sentence,
 * and for what belongs to no script. The voice for scripts that no other one reads is asked for everything. Voices that
 * differ only in pitch share a row. eSpeak NG speaks once for letters of the same phonemes, and for letters with a
 * stressed vowel once for each number of phonemes and stresses.
 */
import { join } from 'node:path'
import { findFault } from '../src/audio/check'
import { trimSilence } from '../src/audio/trim'
import { loadEngine } from '../src/speech/load-engine'
import type { VoiceSpec } from '../src/speech/voice'
import { loadPhonemizer } from '../src/speech/phonemes/espeak'
import { scriptRuns, scriptsOf } from '../src/speech/text/script'
import {
  alphabetOf,
  encodeRanges,
  longSeconds,
  namedSeconds,
  spelledSeconds,
  type UnspokenTable,
} from '../src/speech/text/unspoken'
import { readCatalogue } from '../src/voice/catalogue'
import manifest from '../voices/catalogue.json'
import { replaceFile } from './run'

const target = join(import.meta.dir, '../src/speech/text/unspoken.json')
const codePointMax = 0x10ffff
/** Characters per call of eSpeak NG. */
const batchSize = 100
/** A Mongolian letter: every voice says "letter" and the digits of its code. */
const spelledByAll = 'ᠠ'

const engines = { flite: await loadEngine('flite'), espeak: await loadEngine('espeak') }
const phonemizer = await loadPhonemizer()
const pronounced = pronouncedCharacters()
const only = process.argv.slice(2)
const before = only.length > 0 ? ((await Bun.file(target).json()) as UnspokenTable).alphabets : {}
const table: UnspokenTable = { unicode: process.versions.unicode!, alphabets: before }
for (const [alphabet, voice] of alphabets()) {
  if (only.length > 0 && !only.includes(alphabet)) continue
  const startedAtMs = performance.now()
  const asked = pronounced.filter((character) => canReach(character, voice))
  const answers = new Map(await askAll(voice, asked))
  const rangesOf = (kind: Kind) => encodeRanges([...answers.keys()], (codePoint) => answers.get(codePoint) === kind)
  table.alphabets[alphabet] = { mute: rangesOf('mute'), long: rangesOf('long'), named: rangesOf('named') }
  console.log(alphabet, 'asked', asked.length, `${((performance.now() - startedAtMs) / 1000).toFixed(1)} s`)
  await replaceFile(target, `${JSON.stringify(table, null, 2)}\n`)
}

/** One voice for each row. */
function alphabets(): Map<string, VoiceSpec> {
  const rows = new Map<string, VoiceSpec>()
  const fallbacks = manifest.fallbackVoices.map((voice) => ({
    ...voice,
    gender: null,
    engine: 'espeak' as const,
    sampleRate: 0,
  }))
  for (const voice of [...readCatalogue().builtIn, ...fallbacks]) {
    const alphabet = alphabetOf(voice)
    if (alphabet !== undefined && !rows.has(alphabet)) rows.set(alphabet, voice)
  }
  return rows
}

function pronouncedCharacters(): string[] {
  const characters: string[] = []
  for (let codePoint = 0; codePoint <= codePointMax; codePoint++) {
    const character = String.fromCodePoint(codePoint)
    if (/[\p{L}\p{M}\p{N}]/u.test(character)) characters.push(character)
  }
  return characters
}

function canReach(character: string, { engine, language }: VoiceSpec): boolean {
  if (language === 'und') return true
  const { script } = scriptRuns(character)[0]!
  return script === null || script === 'Latn' || (engine !== 'flite' && scriptsOf(language).includes(script))
}

type Kind = 'mute' | 'long' | 'named' | 'said'

/** How the voice speaks each character. A character that sounds like a full stop is mute. */
async function askAll(voice: VoiceSpec, characters: readonly string[]): Promise<[codePoint: number, kind: Kind][]> {
  const engine = engines[voice.engine as 'flite' | 'espeak']
  const nothing = Bun.hash((await engine.synthesize(voice, '.')).samples)
  const measure = async (character: string) => {
    const speech = await engine.synthesize(voice, character).catch(noSpeech)
    if (Bun.hash(speech.samples) === nothing) return 0
    const fault = findFault(speech, { letters: 1, language: 'und' })
    const { samples, sampleRate } = trimSilence(speech)
    return fault ? 0 : samples.length / sampleRate
  }
  const name = voice.engine === 'espeak' ? voice.settings.voice.split('+')[0]! : undefined
  const letter = name === undefined ? undefined : soundsOf((await phonemesOf([spelledByAll], name))[0]!).split('__')[0]!
  const answers: [number, Kind][] = []
  const known = new Map<string, number>()
  for (let at = 0; at < characters.length; at += batchSize) {
    const batch = characters.slice(at, at + batchSize)
    const phonemes = name === undefined ? batch : await phonemesOf(batch, name)
    for (const [i, character] of batch.entries()) {
      const key = keyOf(phonemes[i]!)
      const seconds = known.get(key) ?? (await measure(character))
      known.set(key, seconds)
      const isSpelled = letter !== undefined && soundsOf(phonemes[i]!).includes(letter)
      answers.push([character.codePointAt(0)!, kindOf(seconds, isSpelled)])
    }
  }
  return answers
}

function kindOf(seconds: number, isSpelled: boolean): Kind {
  if (seconds === 0) return 'mute'
  if (seconds > longSeconds || (isSpelled && seconds > spelledSeconds)) return 'long'
  return seconds > namedSeconds ? 'named' : 'said'
}

/** Without stress and without changes of language. */
function soundsOf(phonemes: string): string {
  return phonemes.replace(/[ˈˌ]|\([a-z-]+\)/g, '')
}

/** A sound with a stressed vowel is audible; the numbers of phonemes and stresses estimate its length. */
function keyOf(phonemes: string): string {
  const [units, stresses] = [/[_ ]+/g, /[ˈˌ]/g].map((pattern) => phonemes.match(pattern)?.length ?? 0)
  return stresses === 0 ? phonemes : `${units} ${stresses} ${phonemes.includes('(en)')}`
}

/** Puts each letter into a paragraph between known ones. If the parts cannot be separated, asks for single letters. */
async function phonemesOf(characters: readonly string[], voice: string): Promise<string[]> {
  const read = async (text: string) => (await phonemizer.clauses(text, voice)).map((clause) => clause.phonemes)
  const between = (await read('ba')).join()
  const all = await read(characters.map((character) => `ba\n\n${character}\n\n`).join(''))
  const answers: string[][] = []
  for (const phonemes of all) {
    if (phonemes === between) answers.push([])
    else answers.at(-1)?.push(phonemes)
  }
  if (answers.length === characters.length) return answers.map((each) => each.join(' | '))
  return Promise.all(characters.map(async (character) => (await read(character)).join(' | ')))
}

/** Flite crashes on some characters. */
function noSpeech() {
  return { samples: new Float32Array(0), sampleRate: 1 }
}
