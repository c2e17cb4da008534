/**
 * Plans a user's text as utterances for the engines. The steps run in this order, each in its own file:
 *
 *   clean      removes unpronounceable characters, shortens endless runs       (knows no language)
 *   sentences  cuts at the ends of sentences and keeps the kind of end
 *   route      gives each script of a sentence to a voice that reads it        (script.ts: scripts of languages)
 *   normalize  numbers, money, dates, addresses, symbols → words               (english.ts, mandarin.ts)
 *   sayings    unspoken words → another voice, or the name of their script     (unspoken.ts: unspoken characters)
 *   cut        cuts readings that are too long for one call, at clause marks
 *
 * Every step is pure, synchronous and linear in the length of the text, and never throws. Everything pronounceable in
 * the cleaned text ends up in exactly one utterance.
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
  voiceId: string
  /** Normalized text for the engine. Empty when there is nothing to pronounce: a silence of `pauseMs`. */
  text: string
  /** Language of the voice, BCP 47. */
  language: string
  /** Silence after the utterance, in milliseconds at speed 1. */
  pauseMs: number
}

/** The part of a sentence for one voice. `source` is cleaned text. */
export type Part = { voice: ReadingVoice; source: string; pauseMs: number }

/** Silence after a sentence at speed 1, by its kind of end. */
export const endPausesMs: Record<SentenceEnd, number> = {
  none: 350,
  semicolon: 200,
  sentence: 350,
  newline: 400,
  ellipsis: 450,
  paragraph: 650,
}
/** Length of a text with nothing to pronounce. */
export const silenceMs = 300

/** Returns at least one utterance. The last has no pause, unless it is the only one and silent. */
export function planUtterances(
  text: string,
  main: ReadingVoice,
  fallbackVoiceFor: (script: Script) => ReadingVoice,
): Utterance[] {
  const utterances: Utterance[] = []
  const sayingsOf = createSayings(main, fallbackVoiceFor)
  for (const part of planParts(text, main, fallbackVoiceFor)) {
    const sayings = sayingsOf(part.voice, normalize(part.source, part.voice.language))
    sayings.forEach(({ voice, text: reading }, at) => {
      const pauseMs = at === sayings.length - 1 ? part.pauseMs : innerPauseMs(`${reading.trimEnd()},`)
      for (const utterance of cutUtterances(voice, reading, pauseMs)) addUtterance(utterances, utterance)
    })
  }
  const final = utterances.at(-1)
  if (final === undefined) {
    return [{ voiceId: main.id, text: '', language: main.language, letters: 0, symbols: 0, pauseMs: silenceMs }]
  }
  final.pauseMs = 0
  return utterances
}

function cutUtterances(voice: ReadingVoice, reading: string, pauseMs: number): Utterance[] {
  const { id: voiceId, language, charactersMax, alphabet } = voice
  const pieces = cutReading(reading, charactersMax)
  return pieces.map((text, index) => ({
    voiceId,
    text,
    language,
    ...countPronounced(text, language, alphabet),
    pauseMs: index === pieces.length - 1 ? pauseMs : innerPauseMs(text),
  }))
}

/** Runs the first three steps. Every letter of the cleaned text is in exactly one part's `source`. */
export function planParts(
  text: string,
  main: ReadingVoice,
  fallbackVoiceFor: (script: Script) => ReadingVoice,
): Part[] {
  return splitSentences(cleanText(text)).flatMap((sentence) => {
    const runs = routeSentence(sentence.text, main, fallbackVoiceFor)
    return runs.map(({ voice, text: source }, index) => ({
      voice,
      source,
      pauseMs: index === runs.length - 1 ? endPausesMs[sentence.end] : innerPauseMs(source),
    }))
  })
}

/** Adds an utterance. One with nothing to pronounce only lengthens the pause before it. */
function addUtterance(utterances: Utterance[], utterance: Utterance): void {
  const previous = utterances.at(-1)
  if (utterance.letters + utterance.symbols > 0) utterances.push(utterance)
  else if (previous !== undefined) previous.pauseMs = Math.max(previous.pauseMs, utterance.pauseMs)
}
