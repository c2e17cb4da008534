/**
 * eSpeak NG as a phonemizer: text → clauses of IPA, as Piper's own phonemizer gets them from
 * `espeak_TextToPhonemesWithTerminator`. Our build of eSpeak NG returns the phonemes of all clauses but not what ended
 * them; that is found in the text (`clause-ends.ts`) or, where the text alone does not tell, by speaking it.
 */
import { type HeapSnapshot, snapshotHeap } from '../espeak/heap'
import { type EspeakInstance, openEspeak } from '../espeak/instance'
import { type ClauseEnd, endsByPosition } from './clause-ends'

export type Clause = ClauseEnd & {
  /**
   * IPA as eSpeak NG writes it: `_` between phonemes (what is between two may have several code points, e.g. `aɪ`), one
   * blank between words, stress marks, and flags such as `(en)` where it switches to another language.
   */
  readonly phonemes: string
}

/** `voice`: eSpeak NG's name, e.g. `en-us`, `cmn`; throws when there is none of that name. */
export type Phonemizer = { clauses(text: string, voice: string): Promise<Clause[]> }

/** Between the clauses that one conversion returns. */
const clauseSeparator = ' | '
/** The fastest: when it speaks only to say where clauses end. */
const wordsPerMinute = 450

/** One per worker process. */
export async function loadPhonemizer(): Promise<Phonemizer> {
  const espeak = await openEspeak()
  const { worker, files } = espeak
  const silent = snapshotHeap(espeak.module)
  /** The voice that was used last, with the heap as it is when that voice has just been set. */
  let speaker: { readonly voice: string; readonly heap: HeapSnapshot } | undefined

  /** Brings the heap to the state after setting `voice`, whatever was done before. */
  function become(voice: string): HeapSnapshot {
    speaker?.heap.restore()
    if (speaker?.voice === voice) return speaker.heap
    silent.restore()
    speaker = undefined
    if (worker.set_voice(voice) !== 0) throw new Error(`eSpeak NG has no voice ${voice}`)
    speaker = { voice, heap: snapshotHeap(espeak.module) }
    return speaker.heap
  }

  function convert(text: string, voice: string): Clause[] {
    const heap = become(voice)
    const phonemes = readPhonemes(espeak, text)
    heap.observe()
    if (!phonemes) return []
    const parts = phonemes.split(clauseSeparator).map((part) => part.replace(/\s+/g, ' ').trim())
    become(voice)
    const ends = endsByPosition(text, spokenEnds(espeak, heap, text), parts)
    return parts.map((part, index) => ({ phonemes: part, ...ends[index]! }))
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
        // What was loaded of a voice while its dictionary was still empty is not that voice.
        speaker?.heap.restore()
        silent.restore()
        speaker = undefined
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

/** Where clauses end: 1-based, in code points. The last one may be missing. */
function spokenEnds({ worker }: EspeakInstance, heap: HeapSnapshot, text: string): number[] {
  const ends: number[] = []
  worker.set_rate(wordsPerMinute)
  worker.synthesize(text, (_, events) => {
    heap.observe()
    for (const event of events) if (event.type === 'end') ends.push(event.text_position)
    return false
  })
  return ends
}
