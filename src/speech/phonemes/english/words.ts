/**
 * misaki's reading of one English word in its place (misaki 0.9.4, Apache-2.0): function words by what follows, then
 * the lexicon, possessives and stems.
 */
import {
  isKnown,
  isListed,
  isUpperCase,
  type Lexicon,
  lookUp,
  lookUpStem,
  type Place,
  spellLetters,
  symbolName,
  wordClass,
} from './lexicon'
import { primary, secondary } from './stress'

/** Stress of a word with a capital and of one in capitals. */
const capitalStress = 0.5
const capitalsStress = 2

/** Undefined for a word that neither rules nor the lexicon can read. `tag`: of the Penn Treebank. */
export function readWord(
  lexicon: Lexicon,
  text: string,
  { tag, following }: Pick<Place, 'tag' | 'following'>,
): string | undefined {
  const word = text.replace(/[‘’]/g, "'").normalize('NFKC')
  const stress = word === word.toLowerCase() ? undefined : isUpperCase(word) ? capitalsStress : capitalStress
  const place = { tag, stress, following }
  const special = readSpecialWord(lexicon, word, place)
  if (special !== undefined) return special
  const plain = isCapitalizedEntry(lexicon, word, place) ? word.toLowerCase() : word
  if (isKnown(lexicon, plain)) return lookUp(lexicon, plain, place)
  // Possessives of plurals and of names in -s, and clipped words.
  for (const base of [plain.endsWith("s'") && `${plain.slice(0, -2)}'s`, plain.endsWith("'") && plain.slice(0, -1)])
    if (base !== false && isKnown(lexicon, base)) return lookUp(lexicon, base, place)
  return lookUpStem(lexicon, plain, place)
}

/** Whether a word with a capital is to be read as the same word in lower case. */
function isCapitalizedEntry(lexicon: Lexicon, word: string, place: Place): boolean {
  const lower = word.toLowerCase()
  if (word.length < 2 || word === lower || !/^\p{L}+$/u.test(word.replaceAll("'", ''))) return false
  if (place.tag === 'NNP' && word.length <= 7) return false
  const isPlainCase = isUpperCase(word) || word.slice(1) === word.slice(1).toLowerCase()
  if (!isPlainCase || isListed(lexicon, word)) return false
  return isListed(lexicon, lower) || lookUpStem(lexicon, lower, place) !== undefined
}

/** Function words, symbols and abbreviations with dots. */
function readSpecialWord(lexicon: Lexicon, word: string, place: Place): string | undefined {
  const { tag, stress, following } = place
  const isNoun = tag.startsWith('NN')
  const entry = (name: string, key = 'DEFAULT') => {
    const found = lexicon.gold.find(name)
    return typeof found === 'string' ? found : (found?.get(key) ?? undefined)
  }
  if (tag === 'ADD' && (word === '.' || word === '/'))
    return lookUp(lexicon, word === '.' ? 'dot' : 'slash', { ...place, stress: -0.5 })
  const symbol = symbolName(word)
  if (symbol !== undefined) return lookUp(lexicon, symbol, { ...place, tag: '', stress: undefined })
  if (isDotted(word)) return spellLetters(lexicon, word)
  switch (word) {
    case 'a':
    case 'A':
      return tag === 'DT' ? 'ɐ' : 'ˈA'
    case 'am':
    case 'Am':
    case 'AM':
      if (isNoun) return spellLetters(lexicon, word)
      return following.vowel === undefined || word !== 'am' || (stress ?? 0) > 0 ? entry('am') : 'ɐm'
    case 'an':
    case 'An':
    case 'AN':
      return word === 'AN' && isNoun ? spellLetters(lexicon, word) : 'ɐn'
    case 'I':
      return tag === 'PRP' ? `${secondary}I` : undefined
    case 'by':
    case 'By':
    case 'BY':
      return wordClass(tag) === 'ADV' ? 'bˈI' : undefined
    case 'to':
    case 'To':
    case 'TO':
      if (!isTo(word, tag)) return undefined
      return following.vowel === undefined ? entry('to') : following.vowel ? 'tʊ' : 'tə'
    case 'in':
    case 'In':
    case 'IN':
      if (word === 'IN' && tag === 'NNP') return undefined
      return following.vowel === undefined || tag !== 'IN' ? `${primary}ɪn` : 'ɪn'
    case 'the':
    case 'The':
    case 'THE':
      if (word === 'THE' && tag !== 'DT') return undefined
      return following.vowel ? 'ði' : 'ðə'
    case 'used':
    case 'Used':
    case 'USED':
      return entry('used', (tag === 'VBD' || tag === 'JJ') && following.to ? 'VBD' : 'DEFAULT')
  }
  if (tag === 'IN' && /^vs\.?$/i.test(word)) return lookUp(lexicon, 'versus', { ...place, tag: '', stress: undefined })
  return undefined
}

/** Whether it is the word that "used" asks for. */
export function isTo(word: string, tag: string): boolean {
  return word === 'to' || word === 'To' || (word === 'TO' && (tag === 'TO' || tag === 'IN'))
}

/** `U.S.`, `e.g.`: letters with dots between them, at most two in a row. */
function isDotted(word: string): boolean {
  return (
    word.replace(/^\.+|\.+$/g, '').includes('.') &&
    /^\p{L}+$/u.test(word.replaceAll('.', '')) &&
    word.split('.').every((part) => part.length < 3)
  )
}
