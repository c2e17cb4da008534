/**
 * Our front ends of Kokoro and KittenTTS compared with sherpa-onnx 1.13.8 (C++, with another build of eSpeak NG), by a
 * table from scripts/sherpa/kokoro.ts. They differ by design:
 * - sherpa-onnx feeds eSpeak NG's IPA unchanged (Kokoro v0.19). misaki's alphabet for v1.0 is not compared. So these
 * tests use our v0.19, and apply kokoro.js' four replacements to the other side.
 * - It runs one sentence at a time and adds a space after a full stop that is not the last; we fill each run.
 * - It takes the style's row for the number of ids within the zeros, we the one before, as in Kokoro's own pipeline.
 * - It feeds only marks that end clauses for eSpeak NG. We feed all marks of the vocabulary, as in Kokoro's and
 * KittenTTS' own front ends, and split there, so eSpeak NG stresses words beside a quotation mark differently.
 * - It cuts a long sentence anywhere, we at a mark or a space.
 * - It feeds KittenTTS the same as Kokoro. We put spaces around marks and an ellipsis at the end, as KittenTTS does.
 */
import { beforeAll, describe, expect, it, setDefaultTimeout } from 'bun:test'
import { join } from 'node:path'
import { loadPhonemizer, type Phonemizer } from '../../../src/speech/phonemes/espeak'
import { kittenVocabulary, speakKitten } from '../../../src/speech/phonemes/kitten'
import { speakKokoro } from '../../../src/speech/phonemes/kokoro'
import { cutRuns, toIds } from '../../../src/speech/phonemes/runs'
import type { PhonemizedText, Token } from '../../../src/speech/phonemes/spoken'
import { kokoroTexts, longTexts, markedTexts, plainTexts, type SherpaRun, type SherpaTable } from './kokoro-texts'

// Hundreds of texts each.
setDefaultTimeout(60_000)

const tokensMax = 510
let table: SherpaTable
let phonemizer: Phonemizer
beforeAll(async () => {
  const packed = await Bun.file(join(import.meta.dir, 'kokoro.json.zst')).bytes()
  table = JSON.parse(Bun.zstdDecompressSync(packed).toString()) as SherpaTable
  phonemizer = await loadPhonemizer()
})

const theirRuns = (text: string, family: 'kokoro' | 'kitten' = 'kokoro') => table[family][kokoroTexts.indexOf(text)]!
const inner = (run: SherpaRun) => run[0].replace(/^\$|\$$/g, '')
/** All runs of a text joined, in kokoro.js' IPA. */
const joined = (runs: readonly SherpaRun[]) =>
  tidy(runs.map(inner).join(' ')).replace(/ʲ/g, 'j').replace(/r/g, 'ɹ').replace(/x/g, 'k').replace(/ɬ/g, 'l')
const tidy = (tokens: string) => tokens.replace(/ +/g, ' ').trim()
const kokoro = (text: string) => speakKokoro({ phonemizer, english: undefined }, text, 'af_heart', kittenVocabulary)
const textOf = (run: readonly Token[]) => run.map((token) => token.text).join('')
const known = ({ tokens }: PhonemizedText) => textOf(tokens.filter((token) => kittenVocabulary.has(token.text)))

async function countDifferent(texts: readonly string[], compare: (text: string) => Promise<[string, string]>) {
  const different: [string, string][] = []
  for (const text of texts) {
    const [ours, theirs] = await compare(text)
    if (ours !== theirs) different.push([ours, theirs])
  }
  return different
}

describe('the front end of Kokoro compared with sherpa-onnx', () => {
  it('has a table of all texts, with at least 300 in English whose marks both feed', () => {
    expect(plainTexts.length).toBeGreaterThanOrEqual(300)
    expect(table.kokoro).toHaveLength(kokoroTexts.length)
    expect(table.kitten).toHaveLength(kokoroTexts.length)
    expect(new Set(table.kokoro.map((runs) => joined(runs))).size).toBe(new Set(kokoroTexts).size)
  })

  it('gives the same tokens for the same text', async () => {
    expect(
      await countDifferent(plainTexts, async (text) => [known(await kokoro(text)), joined(theirRuns(text))]),
    ).toEqual([])
  })

  it('gives the same sounds around marks that only we feed', async () => {
    // Ignores stress, spaces and a weak "to"; — is a semicolon there.
    const sounds = (symbols: string) =>
      symbols
        .replaceAll('—', ';')
        .replace(/[ˈˌ "()…]/g, '')
        .replaceAll('tuː', 'tʊ')
    const different = await countDifferent(markedTexts, async (text) => [
      sounds(known(await kokoro(text))),
      sounds(joined(theirRuns(text))),
    ])
    expect(different).toEqual([])
  })

  it('wraps each run in zeros and takes the row before theirs', async () => {
    for (const text of kokoroTexts)
      for (const [symbols, row] of theirRuns(text)) {
        expect([symbols.at(0), symbols.at(-1)]).toEqual(['$', '$'])
        expect(row).toBe([...symbols].length - 2)
      }
    // Both have the same run if nothing was changed or dropped in theirs.
    const same = plainTexts.filter((text) => {
      const [run, ...more] = theirRuns(text)
      return more.length === 0 && inner(run!) === joined([run!])
    })
    expect(same.length).toBeGreaterThan(20)
    for (const text of same) {
      const runs = cutRuns((await kokoro(text)).tokens, kittenVocabulary, tokensMax)
      expect(runs).toHaveLength(1)
      const ids = toIds(runs[0]!, kittenVocabulary, [0], [0])
      const [symbols, row] = theirRuns(text)[0]!
      expect(ids).toEqual([...symbols].map((symbol) => kittenVocabulary.get(symbol)!))
      expect(runs[0]!.length - 1).toBe(row - 1)
    }
  })

  it('cuts long sentences at a mark or a space, where sherpa-onnx cuts inside words, with as little loss', async () => {
    for (const text of longTexts) {
      const runs = cutRuns((await kokoro(text)).tokens, kittenVocabulary, tokensMax).map(textOf)
      const theirs = theirRuns(text)
      expect(runs.length).toBeGreaterThan(1)
      expect(runs.join('').replace(/ /g, '')).toBe(joined(theirs).replace(/ /g, ''))
      const words = new Set(known(await kokoro(text)).split(/[ ,.]+/))
      for (const run of runs) for (const word of run.split(/[ ,.]+/)) expect(words.has(word)).toBe(true)
    }
    expect(longTexts.some((text) => theirRuns(text).some((run) => /[^ .,]\$$/.test(run[0])))).toBe(true)
  })
})

describe('the front end of KittenTTS compared with sherpa-onnx', () => {
  it('gives the tokens that sherpa-onnx gives Kokoro, except for spaces', async () => {
    const compact = (symbols: string) => symbols.replace(/ /g, '')
    const different = await countDifferent(plainTexts, async (text) => [
      compact(known(await speakKitten(phonemizer, text))),
      compact(theirRuns(text, 'kitten').map(inner).join('')),
    ])
    expect(different).toEqual([])
    for (const text of plainTexts) expect(theirRuns(text, 'kitten').map(inner)).toEqual(theirRuns(text).map(inner))
  })

  it('puts one space around every mark', async () => {
    for (const text of plainTexts) {
      const ours = known(await speakKitten(phonemizer, text))
      const spaced = tidy(
        theirRuns(text, 'kitten')
          .map(inner)
          .join(' ')
          .replace(/[.?!,:;\u0329]/g, ' $& '),
      )
      expect(ours).toBe(spaced)
    }
  })
})
