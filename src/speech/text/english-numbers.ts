/** English number words: cardinals, ordinals, decimals, years, digits one by one. American style, without "and". */

const ones = (
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen' +
  ' eighteen nineteen'
).split(' ')
const tens = ' ten twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')
const scales = ['', ' thousand', ' million', ' billion', ' trillion', ' quadrillion', ' quintillion']
const irregularOrdinals: Record<string, string> = {
  one: 'first',
  two: 'second',
  three: 'third',
  five: 'fifth',
  eight: 'eighth',
  nine: 'ninth',
  twelve: 'twelfth',
}
/** A longer plain string of digits is a telephone, card or account number, not an amount. */
const cardinalDigitsMax = 9

function belowHundred(value: number): string {
  if (value < 20) return ones[value]!
  const rest = value % 10
  return tens[Math.floor(value / 10)]! + (rest === 0 ? '' : `-${ones[rest]}`)
}

function belowThousand(value: number): string {
  if (value < 100) return belowHundred(value)
  const rest = value % 100
  return `${ones[Math.floor(value / 100)]} hundred${rest === 0 ? '' : ` ${belowHundred(rest)}`}`
}

/** Reads any string of digits. Longer numbers and those with leading zeros go digit by digit; with commas, up to 21. */
export function cardinal(digits: string): string {
  const grouped = digits.includes(',')
  const plain = digits.replaceAll(',', '')
  if ((plain.length > 1 && plain.startsWith('0')) || plain.length > (grouped ? 21 : cardinalDigitsMax)) {
    return digitByDigit(plain)
  }
  const groups: string[] = []
  for (let end = plain.length, scale = 0; end > 0; end -= 3, scale++) {
    const value = Number(plain.slice(Math.max(0, end - 3), end))
    if (value > 0) groups.unshift(belowThousand(value) + scales[scale])
  }
  return groups.join(' ') || 'zero'
}

/** `3.14` → three point one four; `1,200` and `.5` too. */
export function decimal(number: string): string {
  const [whole, fraction] = number.split('.')
  const integer = cardinal(whole || '0')
  return fraction === undefined || fraction === '' ? integer : `${integer} point ${spell(fraction)}`
}

export function ordinal(digits: string): string {
  const words = cardinal(digits)
  const last = /[a-z]+$/.exec(words)![0]
  const ordinalLast = irregularOrdinals[last] ?? (last.endsWith('y') ? `${last.slice(0, -1)}ieth` : `${last}th`)
  return words.slice(0, words.length - last.length) + ordinalLast
}

/** A year of 3 or 4 digits as people say it: nineteen oh five, two thousand five, twenty twenty-four. */
export function year(digits: string): string {
  const value = Number(digits)
  const century = Math.floor(value / 100)
  const rest = value % 100
  if (digits.length !== 4 || value < 1010 || (century % 10 === 0 && rest < 10)) return cardinal(String(value))
  if (rest === 0) return `${belowHundred(century)} hundred`
  return `${belowHundred(century)} ${rest < 10 ? `oh ${ones[rest]}` : belowHundred(rest)}`
}

/** `1990` → nineteen nineties; `90` → nineties; `2000` → two thousands. */
export function decade(digits: string): string {
  const words = digits.length === 2 ? belowHundred(Number(digits)) : year(digits)
  return words.endsWith('y') ? `${words.slice(0, -1)}ies` : `${words}s`
}

/** Digits one by one, without pauses. */
export function spell(digits: string): string {
  return [...digits].map((digit) => ones[Number(digit)] ?? digit).join(' ')
}

/** Long strings of digits in groups of four with short pauses. */
export function digitByDigit(digits: string): string {
  return digits.length <= 5 ? spell(digits) : (digits.match(/\d{1,4}/g) ?? []).map(spell).join(', ')
}

const denominators: Record<string, string> = { '2': 'half', '4': 'quarter' }

/** `1`/`2` → one half; `3`/`4` → three quarters. Null if people do not say it so (`7/1`, `9/130`). */
export function fraction(numerator: string, denominator: string): string | null {
  const below = Number(denominator)
  if (below < 2 || below > 100 || Number(numerator) > 100) return null
  const name = denominators[denominator] ?? ordinal(denominator)
  if (Number(numerator) === 1) return `one ${name}`
  return `${cardinal(numerator)} ${name === 'half' ? 'halves' : `${name}s`}`
}

const romanValues: Record<string, number> = { I: 1, V: 5, X: 10, L: 50, C: 100 }

/** The value of a well-formed Roman numeral below 90, else null. */
export function romanValue(numeral: string): number | null {
  if (!/^(?=[IVXL])(?:X[L]|L?X{0,3})(?:IX|IV|V?I{0,3})$/.test(numeral)) return null
  let sum = 0
  for (let i = 0; i < numeral.length; i++) {
    const value = romanValues[numeral[i]!]!
    sum += value < (romanValues[numeral[i + 1] ?? ''] ?? 0) ? -value : value
  }
  return sum
}
