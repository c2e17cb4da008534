/**
 * What a model with marks in its vocabulary is given to say: symbols, and which words of the text they are, so that
 * times of symbols become times of words.
 */
import type { Phonemizer } from './espeak'
import { splitAtMarks } from './marks'
import { pairWords } from './pair-words'

/** One code point of the model's alphabet. `word`: index into `words`, −1 for blanks and marks. */
export type Symbol = { readonly text: string; readonly word: number }

export type Spoken = {
  readonly symbols: readonly Symbol[]
  /** Words of the text, or several where the phonemizer runs them together: "of the". */
  readonly words: readonly string[]
}

export type Spelling = {
  /** eSpeak NG's name. */
  readonly voice: string
  /** A phonemizer's word (`_` between phonemes, no flags) in the model's alphabet. */
  spell(word: string): string
  /** Marks of the text, with the blanks around them, in the model's alphabet. */
  spellMarks(marks: string): string
}

/** `text`: a normalized reading. Throws when eSpeak NG has no such voice. */
export async function speak(phonemizer: Phonemizer, text: string, spelling: Spelling): Promise<Spoken> {
  const symbols: Symbol[] = []
  const words: string[] = []
  const push = (characters: string, word: number) => {
    for (const character of characters) symbols.push({ text: character, word })
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
  return { symbols: trimBlanks(symbols), words }
}

function soundsOf(phonemes: string, { spell }: Spelling): string[] {
  const words = phonemes.replace(/\([^)]*\)/g, '').split(' ')
  return words.map(spell).filter((word) => word !== '')
}

/** No blank at either end, and never two. */
function trimBlanks(symbols: readonly Symbol[]): Symbol[] {
  const single = symbols.filter(({ text }, at) => text !== ' ' || (at > 0 && symbols[at - 1]!.text !== ' '))
  return single.at(-1)?.text === ' ' ? single.slice(0, -1) : single
}
