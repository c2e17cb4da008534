/**
 * Replaces words that a voice cannot say. A word of which the voice says no letter goes to the fallback voice for
 * its script. If that voice cannot say it either, the main voice names the script ("Cherokee letters"), once for
 * consecutive words. A word of which the voice says some letters stays with it.
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

type Saying = { readonly voice: ReadingVoice; readonly text: string }

/** Spelled letters in a row. */
const spelledRunMax = 48
/** Spelled letters in one text. */
const spelledMax = 500
const namesMax = 50

/** The language of the voice for all other scripts. */
const anyLanguage = 'und'
/** Han is written without spaces: each character is a word. */
const word = /\p{Script=Han}\p{M}*|[[\p{L}\p{N}]--\p{Script=Han}][[\p{L}\p{M}\p{N}]--\p{Script=Han}]*/gv

/** `by`: the voice; null if no voice says the words. `isSpelled`: whether letters are spelled by their codes. */
type Words = { by: ReadingVoice | null; isSpelled: boolean; text: string; letters: number }

/** Create one per text; it keeps the limits across all readings of the text. */
export function createSayings(
  main: ReadingVoice,
  fallbackVoiceFor: (script: Script) => ReadingVoice,
): (voice: ReadingVoice, reading: string) => Saying[] {
  let spelled = 0
  let names = 0

  function assign(voice: ReadingVoice, text: string): Words {
    const words = { by: voice, isSpelled: false, text, letters: countLetters(text) }
    if (isSaid(voice, text)) return words
    if (isSpelledBy(voice, text)) return { ...words, isSpelled: true }
    const { script } = scriptRuns(text)[0]!
    const fallback = script === null ? voice : fallbackVoiceFor(script)
    if (fallback.id === voice.id) return { ...words, by: null }
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

  function say({ by, text }: Words, voice: ReadingVoice): Saying {
    if (by !== null) return { voice: by, text: by === voice ? text : normalize(text, by.language) }
    const marks = /[.,;:?!…，。；：？！、]*\s*$/.exec(text)![0].trim()
    if (++names > namesMax) return { voice, text: marks }
    const namer = isNamedIn(main.language) ? main : fallbackVoiceFor('Zzzz')
    return { voice: namer, text: normalize(nameLetters(text, namer.language), namer.language) + marks }
  }

  return (voice, reading) => {
    if (unspokenIn(reading, voice.alphabet) === undefined) return [{ voice, text: reading }]
    const words = cutWords(reading).map((text) => assign(voice, text))
    const limited = merge(words).map((group) => ({ ...withinLimit(group), isSpelled: false }))
    return merge(limited).map((group) => say(group, voice))
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

/** Merges consecutive words of the same voice and kind. */
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
