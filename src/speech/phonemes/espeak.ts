/**
 * eSpeak NG as a phonemizer: text → clauses of IPA, as Piper's own phonemizer gets them from
 * `espeak_TextToPhonemesWithTerminator`. Our build of eSpeak NG returns the phonemes of all clauses but not what ended
 * them; that is found in the text (`clause-ends.ts`).
 */
import { type HeapSnapshot, snapshotHeap } from '../espeak/heap'
import { type EspeakInstance, openEspeak } from '../espeak/instance'
import { splitClauses, type TextClause } from './clause-ends'

/** `text`: '' where it is not known which part of the text the clause is. */
export type Clause = TextClause & {
  /**
   * IPA as eSpeak NG writes it: `_` between phonemes (what is between two may have several code points, e.g. `aɪ`),
   * blanks between words (seldom two), stress marks, and flags such as `(en)` where it switches to another language.
   */
  readonly phonemes: string
}

/** `voice`: eSpeak NG's name, e.g. `en-us`, `cmn`; throws when there is none of that name. */
export type Phonemizer = { clauses(text: string, voice: string): Promise<Clause[]> }

/** The heap as it is when a voice has just been set. */
type Speaker = {
  readonly voice: string
  /** Whether it takes a number with a dot for an ordinal number, which then may end no clause. */
  readonly ordinalDots: boolean
  readonly heap: HeapSnapshot
}

const romanOrdinal = 'bb XV. Bbb'
/** Between the clauses that one conversion returns. */
const clauseSeparator = ' | '
/** Where text and clauses do not agree, which was never seen in a text without characters that nobody prints. */
const unknown: TextClause = { text: '', terminator: '', endsSentence: true }

/** One per worker process. */
export async function loadPhonemizer(): Promise<Phonemizer> {
  const espeak = await openEspeak()
  const { worker, files } = espeak
  const silent = snapshotHeap(espeak.module)
  /** The voice that was used last. */
  let speaker: Speaker | undefined

  /** Brings the heap to the state of a voice that has said nothing yet, whatever was done before. */
  function become(voice: string): Speaker {
    speaker?.heap.restore()
    if (speaker?.voice === voice) return speaker
    forget()
    if (worker.set_voice(voice) !== 0) throw new Error(`eSpeak NG has no voice ${voice}`)
    // What it loads for English words in other languages is loaded now.
    const ordinalDots = !readPhonemes(espeak, romanOrdinal).includes(clauseSeparator)
    speaker = { voice, ordinalDots, heap: snapshotHeap(espeak.module) }
    return speaker
  }

  function forget(): void {
    speaker?.heap.restore()
    speaker = undefined
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
        // A voice that was set while its dictionary was still empty is not that voice.
        forget()
      }
    },
  }
}

/** Keeps eSpeak NG from seeing SSML, entities and `[[phonemes]]` in what is plain text. */
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
