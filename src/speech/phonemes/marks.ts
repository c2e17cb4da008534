/**
 * Text cut at its punctuation, for models whose vocabulary has the marks: what is between two marks goes to the
 * phonemizer alone, the marks go to the model. So do kokoro.js and the Python package `phonemizer`
 * (`preserve_punctuation`), by which Kokoro's and KittenTTS' own front ends keep them.
 */

export type Section = { readonly text: string; readonly kind: 'words' | 'marks' }

/** Those of `phonemizer`, and the en dash. */
const always = '[;!?¡¿—–…"«»“”(){}\\[\\]]'
/** Between two letters or digits they are part of a word: `3.5`, `e.g`. `phonemizer` cuts there as well. */
const outside = '[.,:](?![\\p{L}\\p{N}])|(?<![\\p{L}\\p{N}])[.,:]'
const marks = new RegExp(`\\s*(?:${always}|${outside})(?:${always}|${outside}|\\s)*`, 'gu')

/** Nothing is lost: the sections joined are the text. */
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
