/**
 * Text → ids for VITS models of sherpa-onnx, as in its frontends (sherpa-onnx/csrc of
 * https://github.com/k2-fsa/sherpa-onnx): `OfflineTtsCharacterFrontend`, `Lexicon`, `CharacterLexicon`,
 * `MeloTtsLexicon`. docs/models.md lists the differences and their reasons.
 */
import { matchLongest, splitUnits, type Lexicon, type Pronunciation } from './lexicon'
import type { Vocabulary } from './runs'

export type VitsFrontend =
  /** Every character is a token; for MMS and Coqui models. */
  | { readonly kind: 'characters'; readonly tokens: Vocabulary; readonly frame: CharacterFrame }
  /** Words of a lexicon: `chinese` and `spaced` by language, `segmented` with longer words, `toned` for MeloTTS. */
  | {
      readonly kind: 'chinese' | 'spaced' | 'segmented' | 'toned'
      readonly tokens: Vocabulary
      readonly lexicon: Lexicon
      /** Marks in the model's vocabulary; used only by the first two kinds. */
      readonly punctuation: ReadonlySet<string>
      readonly addBlank: boolean
    }

/** Ids around and between characters. */
export type CharacterFrame = {
  readonly addBlank: boolean
  readonly blankId: number
  /** null: none. */
  readonly ends: { readonly bos: number; readonly eos: number } | null
}

/** The input of one run of the graph. */
export type VitsRun = {
  readonly ids: number[]
  /** One tone per id, for MeloTTS. */
  readonly tones?: number[]
  /** The final mark; '' at the end of the text. */
  readonly end: string
}

/** `text`: a normalized text. Drops runs without a word. */
export function toVitsRuns(text: string, frontend: VitsFrontend): VitsRun[] {
  if (frontend.kind === 'characters') return runCharacters(text.toLowerCase(), frontend)
  const units = splitUnits(text.toLowerCase())
  const runs = runners[frontend.kind](units, frontend)
  if (!frontend.addBlank) return runs
  return runs.map(({ ids, tones, end }) => ({ ids: addBlanks(ids), tones: tones && addBlanks(tones), end }))
}

/** sherpa-onnx uses 0 for the blank here, regardless of the metadata. */
function addBlanks(ids: readonly number[]): number[] {
  return [0, ...ids.flatMap((id) => [id, 0])]
}

type WithLexicon = Exclude<VitsFrontend, { kind: 'characters' }>

function runCharacters(text: string, { tokens, frame }: Extract<VitsFrontend, { kind: 'characters' }>): VitsRun[] {
  const { addBlank, blankId, ends } = frame
  const runs: VitsRun[] = []
  for (const [part] of text.matchAll(/[^.:?!]*[.:?!]|[^.:?!]+/g)) {
    const known = [...part].flatMap((character) => tokens.get(character) ?? [])
    const isSpoken = [...part].some((character) => /[\p{L}\p{N}]/u.test(character) && tokens.has(character))
    if (!isSpoken) continue
    const ids = addBlank ? [blankId, ...known.flatMap((id) => [id, blankId])] : known
    runs.push({ ids: ends ? [ends.bos, ...ids, ends.eos] : ids, end: /[.:?!]$/.exec(part)?.[0] ?? '' })
  }
  return runs
}

const runners = { chinese: runChinese, spaced: runSpaced, segmented: runSegmented, toned: runSegmented }

/** Collects ids into runs; drops runs without a word. */
function collectRuns() {
  const runs: VitsRun[] = []
  let ids: number[] = []
  let tones: number[] = []
  let spoken = false
  return {
    runs,
    isEmpty: () => ids.length === 0,
    addWord(word: Pronunciation) {
      ids.push(...word.ids)
      tones.push(...(word.tones ?? word.ids.map(() => 0)))
      spoken = true
    },
    addToken(id: number | undefined) {
      if (id === undefined) return
      ids.push(id)
      tones.push(0)
    },
    dropLast() {
      ids.pop()
      tones.pop()
    },
    end(mark: string, toned = false) {
      if (spoken) runs.push({ ids, ...(toned && { tones }), end: mark })
      ids = []
      tones = []
      spoken = false
    },
  }
}

const chineseEnds = new Set('.;!?-:。；！？：”')
const chinesePauses = new Set(',“，、')

/** Adds `sil`, `eos` and `#0` if the model has them (aishell3). */
function runChinese(units: readonly string[], { tokens, lexicon, punctuation }: WithLexicon): VitsRun[] {
  const [silence, eos] = [tokens.get('sil'), tokens.get('eos')]
  const run = collectRuns()
  run.addToken(silence)
  for (const word of matchLongest(units, lexicon.has)) {
    if (chineseEnds.has(word) || chinesePauses.has(word)) {
      if (punctuation.has(word)) run.addToken(tokens.get(word) ?? tokens.get('#0') ?? silence)
      if (!chineseEnds.has(word)) continue
      run.addToken(eos)
      run.end(word)
      run.addToken(silence)
      continue
    }
    pronounce(word, lexicon).forEach(run.addWord)
  }
  run.addToken(silence)
  run.addToken(eos)
  run.end('')
  return run.runs
}

const spacedEnds = new Set('.;!?-:')

function runSpaced(units: readonly string[], { tokens, lexicon, punctuation }: WithLexicon): VitsRun[] {
  const blank = tokens.get(' ')
  const run = collectRuns()
  for (const word of units) {
    if (spacedEnds.has(word) || word === ',') {
      if (punctuation.has(word)) run.addToken(tokens.get(word))
      if (word === ',') continue
      run.addToken(blank)
      run.end(word)
      continue
    }
    for (const pronunciation of pronounce(word, lexicon)) {
      run.addWord(pronunciation)
      run.addToken(blank)
    }
  }
  if (!run.isEmpty()) run.dropLast()
  run.end('')
  return run.runs
}

const segmentedEnds = new Set(`,.!?:"'，。！？“”‘’`)
const tonedEnds = new Set('.!?,。！？，')
/** Marks that MeloTTS reads like others. */
const alike: ReadonlyMap<string, string> = new Map([
  ['呣', '母'],
  ['嗯', '恩'],
])
/** Equivalent marks; a model may have only one of them. */
const sameMarks = [',，', '.。', '!！', '?？', ':：', '"“', '"”', "'‘", "'’", ';；', '，、', ',、', ',;']

/** Matches words of several characters first; the token of a mark may have another form. */
function runSegmented(units: readonly string[], { kind, tokens, lexicon }: WithLexicon): VitsRun[] {
  const isToned = kind === 'toned'
  const ends = isToned ? tonedEnds : segmentedEnds
  const run = collectRuns()
  for (const word of matchLongest(isToned ? units : withoutMarkRuns(units), lexicon.has)) {
    if (/[\p{L}\p{N}]/u.test(word)) {
      const token = lexicon.has(word) ? undefined : tokens.get(word)
      if (token !== undefined) run.addWord({ ids: [token] })
      else pronounce((isToned && alike.get(word)) || word, lexicon).forEach(run.addWord)
      continue
    }
    const token = tokenOfMark(word, tokens)
    if (token === undefined) continue
    run.addToken(token)
    if (ends.has(word)) run.end(word, isToned)
  }
  run.end('', isToned)
  return run.runs
}

function tokenOfMark(mark: string, tokens: Vocabulary): number | undefined {
  const other = sameMarks.filter((pair) => pair.includes(mark)).map((pair) => pair.replace(mark, ''))
  return tokens.get(mark) ?? other.map((form) => tokens.get(form)).find((id) => id !== undefined)
}

/** Keeps only the first of consecutive marks. */
function withoutMarkRuns(units: readonly string[]): string[] {
  return units.filter((word, i) => !segmentedEnds.has(word) || i === 0 || !segmentedEnds.has(units[i - 1]!))
}

/** The word, or those of its letters that the lexicon has. */
function pronounce(word: string, lexicon: Lexicon): Pronunciation[] {
  const whole = lexicon.find(word)
  return whole ? [whole] : [...word].flatMap((letter) => lexicon.find(letter) ?? [])
}
