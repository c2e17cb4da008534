/**
 * Texts of any length: planned block by block, each cut off where a sentence ends, so that neither time nor memory grows
 * with what is still to come. A text of one block is planned as `planUtterances` does it.
 */
import { endPausesMs, planUtterances, type Utterance } from './plan'
import type { ReadingVoice } from './reading-voice'
import type { Script } from './script'
import { splitSentences } from './sentences'

/** UTF-16 units; more than any request over HTTP has. */
export const blockCharactersMax = 8192

export type Planned = {
  readonly utterance: Utterance
  /** From 0. */
  readonly block: number
  /** How much of the text is planned up to here, 0 to 1. */
  readonly share: number
}

/** At least one, in order. */
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
    // What is silent altogether is one silence, and only if nothing else is said.
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

/** Where the block ends that begins at `start`, and the silence behind it at speed 1. */
function cutBlock(text: string, start: number): { end: number; pauseMs: number } {
  if (text.length - start <= blockCharactersMax) return { end: text.length, pauseMs: 0 }
  const window = text.slice(start, start + blockCharactersMax)
  const sentences = splitSentences(window)
  // The last one may go on behind the window.
  const unfinished = sentences.at(-1)
  const at = unfinished && sentences.length > 1 ? window.lastIndexOf(unfinished.text) : -1
  if (at > 0) return { end: start + at, pauseMs: endPausesMs[sentences.at(-2)!.end] }
  const space = /\s\S*$/u.exec(window)?.index ?? 0
  if (space > 0) return { end: start + space, pauseMs: 0 }
  // Not between the halves of a surrogate pair, nor before a mark of the letter.
  const tail = /(?:[\uD800-\uDBFF]|.\p{M}*)$/su.exec(window)!.index
  return { end: start + (tail > 0 ? tail : window.length), pauseMs: 0 }
}
