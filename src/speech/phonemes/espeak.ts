/**
 * eSpeak NG as a phonemizer: text → clauses of IPA, as Piper's own phonemizer gets them from
 * `espeak_TextToPhonemesWithTerminator`. Our build of eSpeak NG returns the phonemes of all clauses without their
 * terminators, which are found in the text (`clause-ends.ts`).
 */
import { type HeapSnapshot, snapshotHeap } from '../espeak/heap'
import { type EspeakInstance, openEspeak } from '../espeak/instance'
import { splitClauses, type TextClause } from './clause-ends'

/** `text`: '' when the clause's part of the text is unknown. */
export type Clause = TextClause & {
  /**
   * IPA in eSpeak NG's format: `_` between phonemes (one phoneme may have several code points, e.g. `aɪ`), spaces
   * between words (rarely two), stress marks, and flags such as `(en)` at a switch of language.
   */
  readonly phonemes: string
}

/** `voice`: eSpeak NG's name, e.g. `en-us`, `cmn`. Throws for an unknown name. */
export type Phonemizer = { clauses(text: string, voice: string): Promise<Clause[]> }

/** The heap right after setting a voice. */
type VoiceState = {
  readonly voice: string
  /** Whether the voice reads a number with a dot as an ordinal; the dot then may not end a clause. */
  readonly ordinalDots: boolean
  readonly heap: HeapSnapshot
}

const romanOrdinal = 'bb XV. Bbb'
/** Separates the clauses of one conversion. */
const clauseSeparator = ' | '
/** Used when text and clauses disagree, which was seen only in texts with non-printable characters. */
const unknown: TextClause = { text: '', terminator: '', endsSentence: true }

/** Load one per worker process. */
export async function loadPhonemizer(): Promise<Phonemizer> {
  const espeak = await openEspeak()
  const { worker, files } = espeak
  const silent = snapshotHeap(espeak.module)
  /** The last used voice. */
  let current: VoiceState | undefined

  /** Restores the heap to the initial state of a voice, regardless of earlier calls. */
  function become(voice: string): VoiceState {
    current?.heap.restore()
    if (current?.voice === voice) return current
    forget()
    if (worker.set_voice(voice) !== 0) throw new Error(`eSpeak NG has no voice ${voice}`)
    // This also loads the dictionary for English words in other languages.
    const ordinalDots = !readPhonemes(espeak, romanOrdinal).includes(clauseSeparator)
    current = { voice, ordinalDots, heap: snapshotHeap(espeak.module) }
    return current
  }

  function forget(): void {
    current?.heap.restore()
    current = undefined
    silent.restore()
  }

  function convert(text: string, voice: string): Clause[] {
    const { heap, ordinalDots } = become(voice)
    const phonemes = readPhonemes(espeak, text)
    heap.observe()
    if (!phonemes) return []
    const parts = phonemes.split(clauseSeparator)
    const clauses = splitClauses(text, ordinalDots)
    const known = clauses.length === parts.length
    return parts.map((part, index) => ({ phonemes: part, ...(known ? clauses[index]! : unknown) }))
  }

  return {
    async clauses(text, voice) {
      const plain = hideMarkup(text)
      for (;;) {
        const clauses = convert(plain, voice)
        if (!(await files.fillOpened())) {
          files.letGo()
          return clauses
        }
        // A voice set with an empty dictionary is invalid.
        forget()
      }
    },
  }
}

/** Hides SSML, entities and `[[phonemes]]` in plain text from eSpeak NG. */
function hideMarkup(text: string): string {
  return text.replaceAll('\0', ' ').replace(/<(?=[\w/!?])|&(?=#?\w+;)|\[(?=\[)/g, '$& ')
}

function readPhonemes({ module, worker }: EspeakInstance, text: string): string {
  const start = worker.convert_to_phonemes(text, true).ptr
  const end = module.HEAPU8.indexOf(0, start)
  const phonemes = new TextDecoder().decode(module.HEAPU8.subarray(start, end))
  module._free(start)
  return phonemes
}
