/**
 * The input of a model with marks in its vocabulary: tokens, each with its word, so that token times give word times.
 */
import type { Phonemizer } from './espeak'
import { splitAtMarks } from './marks'
import { pairWords } from './pair-words'

/** One code point of the model's alphabet. `word`: index into `words`, −1 for spaces and marks. */
export type Token = { readonly text: string; readonly word: number }

export type PhonemizedText = {
  readonly tokens: readonly Token[]
  /** Words of the text, or several merged by the phonemizer: "of the". */
  readonly words: readonly string[]
}

export type Spelling = {
  /** eSpeak NG's name of the voice. */
  readonly voice: string
  /** Transcribes a phonemizer's word (`_` between phonemes, no flags) to the model's alphabet. */
  spell(word: string): string
  /** Transcribes marks of the text, with the spaces around them, to the model's alphabet. */
  spellMarks(marks: string): string
}

/** `text`: a normalized text. Throws when eSpeak NG lacks the voice. */
export async function speak(phonemizer: Phonemizer, text: string, spelling: Spelling): Promise<PhonemizedText> {
  const tokens: Token[] = []
  const words: string[] = []
  const push = (characters: string, word: number) => {
    for (const character of characters) tokens.push({ text: character, word })
  }
  for (const section of splitAtMarks(text.trim())) {
    if (section.kind === 'marks') {
      push(spelling.spellMarks(section.text), -1)
      continue
    }
    const clauses = await phonemizer.clauses(section.text, spelling.voice)
    const sounds = clauses.flatMap(({ phonemes }) => soundsOf(phonemes, spelling))
    for (const [index, group] of pairWords(section.text.trim().split(/\s+/), sounds).entries()) {
      if (index > 0) push(' ', -1)
      words.push(group.text)
      group.sounds.forEach((sound, at) => {
        if (at > 0) push(' ', -1)
        push(sound, words.length - 1)
      })
    }
  }
  return { tokens: trimBlanks(tokens), words }
}

function soundsOf(phonemes: string, { spell }: Spelling): string[] {
  const words = phonemes.replace(/\([^)]*\)/g, '').split(' ')
  return words.map(spell).filter((word) => word !== '')
}

/** Removes spaces at both ends and collapses repeated ones. */
function trimBlanks(tokens: readonly Token[]): Token[] {
  const single = tokens.filter(({ text }, at) => text !== ' ' || (at > 0 && tokens[at - 1]!.text !== ' '))
  return single.at(-1)?.text === ' ' ? single.slice(0, -1) : single
}
