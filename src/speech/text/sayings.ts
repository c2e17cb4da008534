/**
 * Replaces words that a speaker cannot say. A word of which the speaker says no letter goes to the fallback voice for
 * its script. If that voice cannot say it either, the main speaker names the script ("Cherokee letters"), once for
 * consecutive words. A word of which the speaker says some letters stays with it.
 *
 * The voice for all remaining scripts spells letters by their codes ("letter one eight two zero"), two seconds each.
 * Beyond a limit they are named too, and beyond a limit of names they become a pause. Without these limits, a text of
 * 2,000 such letters would be an hour of audio.
 */
import { normalize } from './normalize'
import type { ReadingVoice } from './reading-voice'
import { isNamedIn, nameLetters } from './script-names'
import { type Script, scriptRuns } from './script'
import { unspokenIn } from './unspoken'

type Saying = { readonly speaker: ReadingVoice; readonly text: string }

/** Spelled letters in a row. */
const spelledRunMax = 48
/** Spelled letters in one text. */
const spelledMax = 500
const namesMax = 50

/** The language of the voice for all other scripts. */
const anyLanguage = 'und'
/** Han is written without spaces: each character is a word. */
const word = /\p{Script=Han}\p{M}*|[[\p{L}\p{N}]--\p{Script=Han}][[\p{L}\p{M}\p{N}]--\p{Script=Han}]*/gv

/** `by`: the speaker; null if no voice says the words. `isSpelled`: whether letters are spelled by their codes. */
type Words = { by: ReadingVoice | null; isSpelled: boolean; text: string; letters: number }

/** Create one per text; it keeps the limits across all readings of the text. */
export function createSayings(
  main: ReadingVoice,
  fallbackVoiceFor: (script: Script) => ReadingVoice,
): (speaker: ReadingVoice, reading: string) => Saying[] {
  let spelled = 0
  let names = 0

  function assign(speaker: ReadingVoice, text: string): Words {
    const words = { by: speaker, isSpelled: false, text, letters: countLetters(text) }
    if (isSaid(speaker, text)) return words
    if (isSpelledBy(speaker, text)) return { ...words, isSpelled: true }
    const { script } = scriptRuns(text)[0]!
    const fallback = script === null ? speaker : fallbackVoiceFor(script)
    if (fallback.id === speaker.id) return { ...words, by: null }
    const reading = normalize(text, fallback.language)
    if (isSaid(fallback, reading)) return { ...words, by: fallback }
    return isSpelledBy(fallback, reading) ? { ...words, by: fallback, isSpelled: true } : { ...words, by: null }
  }

  function withinLimit(words: Words): Words {
    if (!words.isSpelled) return words
    if (words.letters > spelledRunMax || spelled + words.letters > spelledMax) return { ...words, by: null }
    spelled += words.letters
    return words
  }

  function say({ by, text }: Words, speaker: ReadingVoice): Saying {
    if (by !== null) return { speaker: by, text: by === speaker ? text : normalize(text, by.language) }
    const marks = /[.,;:?!…，。；：？！、]*\s*$/.exec(text)![0].trim()
    if (++names > namesMax) return { speaker, text: marks }
    const namer = isNamedIn(main.language) ? main : fallbackVoiceFor('Zzzz')
    return { speaker: namer, text: normalize(nameLetters(text, namer.language), namer.language) + marks }
  }

  return (speaker, reading) => {
    if (unspokenIn(reading, speaker.alphabet) === undefined) return [{ speaker, text: reading }]
    const words = cutWords(reading).map((text) => assign(speaker, text))
    const limited = merge(words).map((group) => ({ ...withinLimit(group), isSpelled: false }))
    return merge(limited).map((group) => say(group, speaker))
  }
}

/** Cuts a reading into words with their surrounding characters. Joined again they are the reading. */
function cutWords(reading: string): string[] {
  const starts = [...reading.matchAll(word)].map(({ index }) => index)
  if (starts.length === 0) return [reading]
  return starts.map((start, i) => reading.slice(i === 0 ? 0 : start, starts[i + 1]))
}

function countLetters(text: string): number {
  return text.match(/[\p{L}\p{N}]/gu)?.length ?? 0
}

/** Whether the voice says any letter of `text`; true for a text without letters. */
function isSaid({ alphabet, language }: ReadingVoice, text: string): boolean {
  const unspoken = unspokenIn(text, alphabet)
  if (unspoken === undefined) return true
  const letters = text.match(/[\p{L}\p{N}]/gu) ?? []
  const unsaid = language === anyLanguage ? unspoken.odd : unspoken.unsaid
  return letters.length === 0 || letters.some((letter) => !unsaid.test(letter))
}

function isSpelledBy({ alphabet, language }: ReadingVoice, text: string): boolean {
  if (language !== anyLanguage) return false
  const { mute } = unspokenIn(text, alphabet)!
  return (text.match(/[\p{L}\p{N}]/gu) ?? []).some((letter) => !mute.test(letter))
}

/** Merges consecutive words of the same speaker and kind. */
function merge(words: readonly Words[]): Words[] {
  const merged: Words[] = []
  for (const each of words) {
    const last = merged.at(-1)
    if (last && last.by?.id === each.by?.id && last.isSpelled === each.isSpelled) {
      last.text += each.text
      last.letters += each.letters
    } else merged.push({ ...each })
  }
  return merged
}
