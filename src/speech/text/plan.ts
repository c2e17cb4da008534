/**
 * From a user's text to what the engines get. One way through, each step in its own file:
 *
 *   clean      characters nobody pronounces go, endless runs are shortened     (knows no language)
 *   sentences  cut where a sentence ends, remembering by what
 *   route      within a sentence, each script to a speaker who can read it     (script.ts: who reads what)
 *   normalize  numbers, money, dates, addresses, symbols → words               (english.ts, mandarin.ts)
 *   sayings    what a speaker's engine cannot say, to another or named             (unspoken.ts: who cannot say what)
 *   cut        readings too long for one call, at clause marks
 *
 * Everything is pure, synchronous and linear in the length of the text, and nothing throws. What is pronounceable in the
 * cleaned text ends up in exactly one utterance.
 */
import { cleanText } from './clean'
import { cutReading, innerPauseMs } from './cut'
import { countPronounced, normalize, type Pronounced } from './normalize'
import { routeSentence } from './route'
import { createSayings } from './sayings'
import type { ReadingVoice } from './reading-voice'
import type { Script } from './script'
import { type SentenceEnd, splitSentences } from './sentences'

export type Utterance = Pronounced & {
  speakerId: string
  /** The normalized reading: what the engine gets. Empty when there is nothing to pronounce: a silence of `pauseMs`. */
  text: string
  /** BCP 47, of the speaker. */
  language: string
  /** Silence after it, at speed 1. */
  pauseMs: number
}

/** A sentence's part for one speaker, in the cleaned text's own words. */
export type Part = { speaker: ReadingVoice; source: string; pauseMs: number }

/** Silence after a sentence at speed 1, by what ends it. */
export const endPausesMs: Record<SentenceEnd, number> = {
  none: 350,
  semicolon: 200,
  sentence: 350,
  newline: 400,
  ellipsis: 450,
  paragraph: 650,
}
/** Of a text with nothing to pronounce. */
export const silenceMs = 300

/** At least one utterance, in order. The last has no pause, unless it is the only one and silent. */
export function planUtterances(
  text: string,
  main: ReadingVoice,
  fallbackVoiceFor: (script: Script) => ReadingVoice,
): Utterance[] {
  const utterances: Utterance[] = []
  const sayingsOf = createSayings(main, fallbackVoiceFor)
  for (const part of planParts(text, main, fallbackVoiceFor)) {
    const sayings = sayingsOf(part.speaker, normalize(part.source, part.speaker.language))
    sayings.forEach(({ speaker, text: reading }, at) => {
      const pauseMs = at === sayings.length - 1 ? part.pauseMs : innerPauseMs(`${reading.trimEnd()},`)
      for (const utterance of cutUtterances(speaker, reading, pauseMs)) addUtterance(utterances, utterance)
    })
  }
  const final = utterances.at(-1)
  if (final === undefined) {
    return [{ speakerId: main.id, text: '', language: main.language, letters: 0, symbols: 0, pauseMs: silenceMs }]
  }
  final.pauseMs = 0
  return utterances
}

function cutUtterances(speaker: ReadingVoice, reading: string, pauseMs: number): Utterance[] {
  const { id: speakerId, language, charactersMax, alphabet } = speaker
  const pieces = cutReading(reading, charactersMax)
  return pieces.map((text, index) => ({
    speakerId,
    text,
    language,
    ...countPronounced(text, language, alphabet),
    pauseMs: index === pieces.length - 1 ? pauseMs : innerPauseMs(text),
  }))
}

/** The first three steps: every letter of the cleaned text is in exactly one part's `source`. */
export function planParts(
  text: string,
  main: ReadingVoice,
  fallbackVoiceFor: (script: Script) => ReadingVoice,
): Part[] {
  return splitSentences(cleanText(text)).flatMap((sentence) => {
    const runs = routeSentence(sentence.text, main, fallbackVoiceFor)
    return runs.map(({ speaker, text: source }, index) => ({
      speaker,
      source,
      pauseMs: index === runs.length - 1 ? endPausesMs[sentence.end] : innerPauseMs(source),
    }))
  })
}

/** A piece with nothing to pronounce only lengthens the pause before it. */
function addUtterance(utterances: Utterance[], utterance: Utterance): void {
  const previous = utterances.at(-1)
  if (utterance.letters + utterance.symbols > 0) utterances.push(utterance)
  else if (previous !== undefined) previous.pauseMs = Math.max(previous.pauseMs, utterance.pauseMs)
}
