/** Mandarin number words: 万 and 亿 grouping, 零 inside, 两 before 千, 万, 亿 at the head, digits one by one. */

const digitNames = [...'零一二三四五六七八九']
const places = ['', '十', '百', '千']
/** A longer string of digits is a card or account number, not an amount. */
const cardinalDigitsMax = 12

/** Digits one by one: years, rooms, codes. */
export function spell(digits: string): string {
  return [...digits].map((digit) => digitNames[Number(digit)] ?? digit).join('')
}

/** Telephone digits, where one is said 幺. */
export function spellTelephone(digits: string): string {
  return spell(digits).replaceAll('一', '幺')
}

/** Four digits at most, without the short form of ten. */
function section(value: number): string {
  let out = ''
  let zero = false
  for (let place = 3; place >= 0; place--) {
    const digit = Math.floor(value / 10 ** place) % 10
    if (digit === 0) {
      zero = out !== ''
    } else {
      out += (zero ? '零' : '') + digitNames[digit] + places[place]
      zero = false
    }
  }
  return out
}

function upTo16Digits(value: number): string {
  if (value < 1e4) return section(value)
  const unit = value >= 1e8 ? 1e8 : 1e4
  const high = upTo16Digits(Math.floor(value / unit))
  const low = value % unit
  const gap = low > 0 && low < unit / 10 ? '零' : ''
  return high + (unit === 1e8 ? '亿' : '万') + gap + (low === 0 ? '' : upTo16Digits(low))
}

/** Reads any string of digits. Very long numbers and those with leading zeros go digit by digit. */
export function cardinal(digits: string): string {
  const plain = digits.replaceAll(',', '')
  const digitsMax = digits.includes(',') ? 16 : cardinalDigitsMax
  if ((plain.length > 1 && plain.startsWith('0')) || plain.length > digitsMax) return inGroups(plain)
  return (
    upTo16Digits(Number(plain))
      .replace(/^一十/, '十')
      .replace(/^二(?=[千万亿])/, '两') || '零'
  )
}

/** `3.14` → 三点一四. */
export function decimal(number: string): string {
  const [whole, fraction] = number.split('.')
  const integer = cardinal(whole || '0')
  return fraction === undefined || fraction === '' ? integer : `${integer}点${spell(fraction)}`
}

/** The same before a measure word: 2 is 两 there. */
export function counted(number: string): string {
  return number === '2' ? '两' : decimal(number)
}

/** Long strings of digits with a short pause after every fourth. */
function inGroups(digits: string): string {
  return digits.length <= 8 ? spell(digits) : (digits.match(/\d{1,4}/g) ?? []).map(spell).join('，')
}
