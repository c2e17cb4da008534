/**
 * Part-of-speech tags of a text. The tagger knows neither quotation marks nor letters of acronyms with spaces between
 * them, which our normalization writes; these get their tags here.
 */
import type { TaggerData } from './data'
import { tagTokens } from './tagger'
import type { TextToken } from './tokens'

/** One tag per token. */
export function tagText(tokens: readonly TextToken[], data: TaggerData): string[] {
  const texts = tokens.map(({ text }) => text).filter((text) => text !== quote)
  const tags = tagLetters(texts, tagTokens(texts, data))
  let next = 0
  let isOpen = false
  return tokens.map((token, at) => {
    if (token.text !== quote) return tags[next++]!
    isOpen = opensQuotation(token, tokens[at - 1], tokens[at + 1], isOpen)
    return isOpen ? openingTag : closingTag
  })
}

const quote = '"'
const openingTag = '``'
const closingTag = "''"

/** `isOpen`: whether a quotation is open before this mark, which decides between two spaces and inside of a word. */
function opensQuotation(
  mark: TextToken,
  left: TextToken | undefined,
  right: TextToken | undefined,
  isOpen: boolean,
): boolean {
  const isApartBefore = left === undefined || left.spaceAfter || /[([{—–-]$/.test(left.text)
  const isApartBehind = right === undefined || mark.spaceAfter
  return isApartBefore === isApartBehind ? !isOpen : isApartBefore
}

const capital = /^[A-Z]\.?$/
const letterTag = 'NN'

/** "U S A", "A M", "A I": misaki takes the A for an article and the I for a pronoun; beside a letter they are letters. */
function tagLetters(texts: readonly string[], tags: readonly string[]): string[] {
  return tags.map((tag, at) => {
    const isWord = (texts[at] === 'A' && tag === 'DT') || (texts[at] === 'I' && tag === 'PRP')
    const isSpelled = capital.test(texts[at - 1] ?? '') || capital.test(texts[at + 1] ?? '')
    return isWord && isSpelled ? letterTag : tag
  })
}
