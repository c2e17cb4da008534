/**
 * Plans texts of any length block by block. A block ends at the end of a sentence, so time and memory to the first
 * utterance do not grow with the text. `planUtterances` plans a text of one block in the same way.
 */
import { endPausesMs, planUtterances, type Utterance } from './plan'
import type { ReadingVoice } from './reading-voice'
import type { Script } from './script'
import { splitSentences } from './sentences'

/** UTF-16 units; longer than the text of any HTTP request. */
export const blockCharactersMax = 8192

export type Planned = {
  readonly utterance: Utterance
  /** Index of the block, from 0. */
  readonly block: number
  /** Part of the text that is planned up to here, 0 to 1. */
  readonly share: number
}

/** Yields at least one utterance. */
export function* planBlocks(
  text: string,
  main: ReadingVoice,
  fallbackVoiceFor: (script: Script) => ReadingVoice,
): Generator<Planned, void> {
  let start = 0
  let yielded = 0
  for (let block = 0; ; block++) {
    const { end, pauseMs } = cutBlock(text, start)
    const isLast = end >= text.length
    const utterances = planUtterances(text.slice(start, end), main, fallbackVoiceFor)
    const spoken = utterances.filter((utterance) => utterance.text !== '')
    if (!isLast && spoken.length > 0) spoken.at(-1)!.pauseMs = pauseMs
    // A silent block yields one silence, and only if nothing else in the text is spoken.
    const wanted = spoken.length > 0 || !isLast || yielded > 0 ? spoken : utterances
    for (const [i, utterance] of wanted.entries()) {
      yielded++
      const share = (start + ((i + 1) / wanted.length) * (end - start)) / Math.max(1, text.length)
      yield { utterance, block, share }
    }
    if (isLast) return
    start = end
  }
}

/** End of the block that begins at `start`, and the silence after it at speed 1. */
function cutBlock(text: string, start: number): { end: number; pauseMs: number } {
  if (text.length - start <= blockCharactersMax) return { end: text.length, pauseMs: 0 }
  const window = text.slice(start, start + blockCharactersMax)
  const sentences = splitSentences(window)
  // The last sentence may continue beyond the window.
  const unfinished = sentences.at(-1)
  const at = unfinished && sentences.length > 1 ? window.lastIndexOf(unfinished.text) : -1
  if (at > 0) return { end: start + at, pauseMs: endPausesMs[sentences.at(-2)!.end] }
  const space = /\s\S*$/u.exec(window)?.index ?? 0
  if (space > 0) return { end: start + space, pauseMs: 0 }
  // Do not cut inside a surrogate pair, nor between a letter and its marks.
  const tail = /(?:[\uD800-\uDBFF]|.\p{M}*)$/su.exec(window)!.index
  return { end: start + (tail > 0 ? tail : window.length), pauseMs: 0 }
}
