/**
 * Splits English into tokens by spaCy's rules (spaCy 3.8, MIT): special cases such as contractions first, then prefixes
 * and suffixes are peeled off each stretch between spaces, then infixes split the rest. At last, neighbours that spell
 * a special case are joined again.
 */

export type TextToken = {
  readonly text: string
  /** Offset in the given text, in UTF-16 units. */
  readonly start: number
  /** Whether white space follows. */
  readonly spaceAfter: boolean
}

/** Lengths of the tokens of a special case; undefined for other texts. */
export type FindSpecialCase = (text: string) => readonly number[] | undefined

const letter = '[\\p{L}\\p{Nl}\\p{No}]'
const lower = 'a-zß-öø-ÿ'
const upper = 'A-ZÀ-ÖØ-Þ'
const quotes = `'"”“\`‘´’‚,„»«「」『』（）〔〕【】《》〈〉`
const punctuation = '…,:;!?¿¡()[]{}<>_#*&。？！，、；：～·'
const icons = '[™®©°§¶†‡•]'
const currencies = '\\$|£|€|¥|฿|US\\$|C\\$|A\\$|₽|₹|₩|₪|₺|₴|₦|₫|₱|₲|₵|₸|₼|₾|₿'
const units =
  'km|km²|km³|m|m²|m³|dm|dm²|dm³|cm|cm²|cm³|mm|mm²|mm³|ha|µm|nm|yd|in|ft|kg|g|mg|µg|t|lb|oz|m/s|km/h|kmh|mph|hPa|Pa' +
  '|mbar|mb|MB|kb|KB|gb|GB|tb|TB|T|G|M|K|%'

const escape = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
/** For use in a class of characters. */
const punctuationSet = punctuation.replace(/[[\]]/g, '\\$&')
const marks = [...punctuation, ...quotes].map(escape)

const prefix = new RegExp(
  `^(?:${['§', '%', '=', '—', '–', '\\+(?!\\p{Nd})', '…', ...marks, '\\.\\.+', currencies, icons].join('|')})`,
  'u',
)
const suffix = new RegExp(
  `(?:${[
    '…',
    '……',
    ...marks,
    '\\.\\.+',
    icons,
    "'s",
    "'S",
    '’s',
    '’S',
    '—',
    '–',
    '(?<=\\p{Nd})\\+',
    '(?<=°[FfCcKk])\\.',
    `(?<=\\p{Nd})(?:${currencies})`,
    `(?<=\\p{Nd})(?:${units})`,
    `(?<=[\\p{Nd}${lower}%²\\-+${punctuationSet}${quotes}])\\.`,
    `(?<=[${upper}]{2})\\.`,
  ].join('|')})$`,
  'u',
)
const infix = new RegExp(
  [
    '\\.\\.+',
    '…',
    icons,
    '(?<=\\p{Nd})[+\\-*^](?=[\\p{Nd}\\-])',
    `(?<=[${lower}${quotes}])\\.(?=[${upper}${quotes}])`,
    `(?<=${letter}),(?=${letter})`,
    `(?<=[\\p{L}\\p{N}])(?:-|–|—|--|---|——|~)(?=${letter})`,
    `(?<=[\\p{L}\\p{N}])[:<>=/](?=${letter})`,
  ].join('|'),
  'gu',
)
const address = new RegExp(
  [
    '^(?:(?:https?|ftp)://|www\\.)\\S+$',
    '^[\\w.+\\-]+@[\\w\\-]+(?:\\.[\\w\\-]+)+$',
    '^(?:[\\w\\-]+\\.)+(?:com|org|net|edu|gov|io|co|uk|de|fr|info|biz|us|ca|au|tv|me|ly|ai)(?:/\\S*)?$',
  ].join('|'),
  'iu',
)

/** The tokens' texts are the given text without its white space. */
export function splitTokens(text: string, findSpecialCase: FindSpecialCase): TextToken[] {
  const tokens: TextToken[] = []
  for (const { 0: stretch, index } of text.matchAll(/\S+/g)) {
    let start = index
    const end = index + stretch.length
    for (const token of splitStretch(stretch, findSpecialCase)) {
      tokens.push({ text: token, start, spaceAfter: start + token.length === end && end < text.length })
      start += token.length
    }
  }
  return tokens
}

function splitStretch(stretch: string, findSpecialCase: FindSpecialCase): string[] {
  const whole = splitSpecialCase(stretch, findSpecialCase)
  if (whole) return whole
  const { before, rest, after } = peel(stretch, findSpecialCase)
  const middle = rest === '' ? [] : (splitSpecialCase(rest, findSpecialCase) ?? splitInfixes(rest))
  const tokens = [...before, ...middle, ...after.reverse()]
  return tokens.length > 1 ? rejoin(tokens, findSpecialCase) : tokens
}

function splitSpecialCase(text: string, findSpecialCase: FindSpecialCase): string[] | undefined {
  let at = 0
  return findSpecialCase(text)?.map((length) => text.slice(at, (at += length)))
}

/** `after`: suffixes from the last to the first. */
function peel(stretch: string, findSpecialCase: FindSpecialCase) {
  const before: string[] = []
  const after: string[] = []
  const isSpecial = (text: string) => text !== '' && findSpecialCase(text) !== undefined
  let rest = stretch
  while (rest !== '' && !isSpecial(rest)) {
    const head = prefix.exec(rest)?.[0] ?? ''
    if (head && isSpecial(rest.slice(head.length))) {
      before.push(head)
      rest = rest.slice(head.length)
      break
    }
    const tail = suffix.exec(rest.slice(head.length))?.[0] ?? ''
    if (tail && isSpecial(rest.slice(0, -tail.length))) {
      after.push(tail)
      rest = rest.slice(0, -tail.length)
      break
    }
    if (!head && !tail) break
    if (head) before.push(head)
    if (tail) after.push(tail)
    rest = rest.slice(head.length, rest.length - tail.length)
  }
  return { before, rest, after }
}

function splitInfixes(text: string): string[] {
  if (address.test(text)) return [text]
  const tokens: string[] = []
  let start = 0
  for (const { 0: found, index } of text.matchAll(infix)) {
    if (index === 0) continue
    if (index > start) tokens.push(text.slice(start, index))
    tokens.push(found)
    start = index + found.length
  }
  if (start < text.length) tokens.push(text.slice(start))
  return tokens
}

/** `Sept` and `.` become `Sept.`. */
function rejoin(tokens: readonly string[], findSpecialCase: FindSpecialCase): string[] {
  const joined: string[] = []
  for (let at = 0; at < tokens.length;) {
    const count = [3, 2].find(
      (size) => at + size <= tokens.length && findSpecialCase(tokens.slice(at, at + size).join('')),
    )
    if (count === undefined) {
      joined.push(tokens[at]!)
      at++
    } else {
      joined.push(...splitSpecialCase(tokens.slice(at, at + count).join(''), findSpecialCase)!)
      at += count
    }
  }
  return joined
}
