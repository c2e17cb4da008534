/** The last rules for English: symbols become words, Latin letters become ASCII, and marks are tidied. */

const symbols: Record<string, string> = {
  '&': 'and',
  '+': 'plus',
  '=': 'equals',
  '<': 'is less than',
  '>': 'is greater than',
  '≤': 'is less than or equal to',
  '≥': 'is greater than or equal to',
  '≠': 'is not equal to',
  '≈': 'approximately',
  '~': 'about',
  '±': 'plus or minus',
  '×': 'times',
  '÷': 'divided by',
  '−': 'minus',
  '*': 'times',
  '√': 'square root of',
  '∞': 'infinity',
  '∑': 'sum',
  '∆': 'delta',
  '∂': 'partial',
  '∫': 'integral',
  '∈': 'in',
  '%': 'percent',
  '‰': 'per mille',
  '@': 'at',
  '#': 'hash',
  '\\': 'backslash',
  $: 'dollars',
  '€': 'euros',
  '£': 'pounds',
  '¥': 'yen',
  '￥': 'yuan',
  '₹': 'rupees',
  '₿': 'bitcoin',
  '¢': 'cents',
  '°': 'degrees',
  '℃': 'degrees Celsius',
  '℉': 'degrees Fahrenheit',
  '§': 'section',
  '¶': 'paragraph',
  '©': 'copyright',
  '®': 'registered',
  '™': 'trademark',
  '→': 'to',
  '⇒': 'implies',
  '✓': 'check mark',
  '✗': 'cross mark',
  '′': 'prime',
  '℗': 'copyright',
  Ω: 'ohms',
}
const symbolPattern = new RegExp(
  `[${Object.keys(symbols)
    .map((symbol) => `\\${symbol}`.replace(/^\\(?=[\u0080-\uFFFF])/, ''))
    .join('')}]`,
  'g',
)

const greek: Record<string, string> = {
  α: 'alpha',
  β: 'beta',
  γ: 'gamma',
  δ: 'delta',
  ε: 'epsilon',
  ζ: 'zeta',
  η: 'eta',
  θ: 'theta',
  ι: 'iota',
  κ: 'kappa',
  λ: 'lambda',
  μ: 'mu',
  ν: 'nu',
  ξ: 'xi',
  ο: 'omicron',
  π: 'pi',
  ρ: 'rho',
  σ: 'sigma',
  ς: 'sigma',
  τ: 'tau',
  υ: 'upsilon',
  φ: 'phi',
  χ: 'chi',
  ψ: 'psi',
  ω: 'omega',
}

/** Latin letters that do not decompose into an ASCII letter and marks. */
const latin: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'th',
  þ: 'th',
  ł: 'l',
  ı: 'i',
  ŋ: 'ng',
  ħ: 'h',
  ŧ: 't',
  ĸ: 'k',
  ſ: 's',
  ə: 'a',
  ɑ: 'a',
  ɐ: 'a',
  ɒ: 'o',
  ɔ: 'o',
  ɛ: 'e',
  ɜ: 'e',
  ɪ: 'i',
  ʊ: 'u',
  ʌ: 'u',
  ʃ: 'sh',
  ʒ: 'zh',
  ɡ: 'g',
  ɲ: 'ny',
  ɾ: 'r',
  ɹ: 'r',
  ʁ: 'r',
  ʔ: '',
  ƒ: 'f',
  ɓ: 'b',
  ɗ: 'd',
  ƙ: 'k',
  ƴ: 'y',
  ɖ: 'd',
  ɣ: 'g',
  ɨ: 'i',
  ʉ: 'u',
}

export function readSymbols(text: string): string {
  return text
    .replace(/\band\/or\b/gi, 'and or')
    .replace(/\bn\/a\b/gi, 'N A')
    .replace(/(?<=\w) ?\/ ?(?=\w)/g, ' slash ')
    .replace(/(?<=\w)'(?=\s|$)(?<!s')/g, '')
    .replace(/_/g, ' ')
    .replace(/(?<!\w ?)\*|\*(?! ?\w)|~(?!\S)|\^/g, ' ')
    .replace(symbolPattern, (symbol) => ` ${symbols[symbol]} `)
    .replace(/(?<!\p{Script=Grek})\p{Script=Grek}(?!\p{Script=Grek})/gu, (letter) => {
      const name = greek[letter.toLowerCase()]
      return name === undefined ? letter : ` ${name} `
    })
    .replace(/[\u00C0-\u02FF\u1D00-\u1DBF\u1E00-\u1EFF\u2C60-\u2C7F\uA720-\uA7FF\uAB30-\uAB6F]/g, asciiLetter)
}

function asciiLetter(letter: string): string {
  const lower = letter.toLowerCase()
  const own = latin[lower]
  if (own !== undefined) return letter === lower ? own : own.charAt(0).toUpperCase() + own.slice(1)
  const base = letter.normalize('NFKD').replace(/\p{M}/gu, '')
  const folded = latin[base.toLowerCase()] ?? base
  return /^[A-Za-z ]+$/.test(folded) ? folded : /\p{L}/u.test(letter) && !/\p{Lm}/u.test(letter) ? ' letter ' : ''
}

/** Keeps only marks that an English engine knows. Removes empty clauses, doubled marks and spaces before marks. */
export function tidyEnglish(text: string): string {
  return (
    text
      .replace(/[，、،|•·()[\]{}（）【】〈〉〔〕]/g, ', ')
      .replace(/[。｡।]/g, '. ')
      .replace(/；/g, '; ')
      .replace(/：/g, ': ')
      .replace(/！/g, '! ')
      .replace(/[？؟]/g, '? ')
      .replace(/[¿¡]/g, '')
      .replace(/ ?[—–] ?| --? /g, ', ')
      .replace(/…(?=[\s"']*$)/g, '.')
      .replace(/…/g, ', ')
      .replace(/[^\p{L}\p{M}\p{N} .,;:?!'"\n-]/gu, ' ')
      // Removes combining marks on ASCII letters or on none.
      .replace(/(?<![^\0-\x7F])\p{M}+/gu, '')
      .replace(/(?<![A-Za-z])-|-(?![A-Za-z])/g, ' ')
      .replace(/(?<!\p{L})'(?!\p{L})/gu, ' ')
      .replace(/\s+/g, ' ')
      .replace(/ (?=[.,;:?!])/g, '')
      .replace(/[.,;:?!](?:["' ]?[.,;:?!])+/g, (run) => strongestMark(run))
      .replace(/([,;:])(?=\p{L})/gu, '$1 ')
      .replace(/^[\s.,;:?!]+|[\s,;:]+$/g, '')
      .replace(/([?!.])(?=\p{L}{2})/gu, '$1 ')
      .trim()
  )
}

function strongestMark(run: string): string {
  const mark = [...'?!.;:,'].find((candidate) => run.includes(candidate))!
  return run.includes('"') ? `${mark}"` : mark
}
