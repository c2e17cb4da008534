/**
 * Splits text at punctuation, for models with marks in their vocabulary: the sections between marks go to the
 * phonemizer, the marks go to the model. kokoro.js and the Python package `phonemizer` (`preserve_punctuation`), used
 * by the front ends of Kokoro and KittenTTS, do the same.
 */

export type Section = { readonly text: string; readonly kind: 'words' | 'marks' }

/** The marks of `phonemizer`, and the en dash. */
const always = '[;!?¡¿—–…"«»“”(){}\\[\\]]'
/** Between two letters or digits these belong to a word: `3.5`, `e.g`. `phonemizer` splits there too. */
const outside = '[.,:](?![\\p{L}\\p{N}])|(?<![\\p{L}\\p{N}])[.,:]'
const marks = new RegExp(`\\s*(?:${always}|${outside})(?:${always}|${outside}|\\s)*`, 'gu')

/** Lossless: the joined sections are the text. */
export function splitAtMarks(text: string): Section[] {
  const sections: Section[] = []
  let at = 0
  for (const match of text.matchAll(marks)) {
    if (match.index > at) sections.push({ text: text.slice(at, match.index), kind: 'words' })
    sections.push({ text: match[0], kind: 'marks' })
    at = match.index + match[0].length
  }
  if (at < text.length) sections.push({ text: text.slice(at), kind: 'words' })
  return sections
}
