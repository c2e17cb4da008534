/** English money, percentages, temperatures, units, ranges, telephone numbers, versions, fractions and bare numbers. */
import { cardinal, decimal, digitByDigit, fraction, ordinal, spell } from './english-numbers'

/** A number as written: grouped thousands, decimals. */
const number = '\\d{1,3}(?:,\\d{3})+(?:\\.\\d+)?|\\d+(?:\\.\\d+)?|\\.\\d+'
const notInside = '(?<![\\w.,])'

/** Singular, plural, and the name of the hundredth if prices use it. */
type Currency = [one: string, many: string, cent?: string, cents?: string]
const dollar: Currency = ['dollar', 'dollars', 'cent', 'cents']
const currencies: Record<string, Currency> = {
  $: dollar,
  US$: ['U S dollar', 'U S dollars', 'cent', 'cents'],
  HK$: ['Hong Kong dollar', 'Hong Kong dollars', 'cent', 'cents'],
  A$: ['Australian dollar', 'Australian dollars', 'cent', 'cents'],
  C$: ['Canadian dollar', 'Canadian dollars', 'cent', 'cents'],
  '€': ['euro', 'euros', 'cent', 'cents'],
  '£': ['pound', 'pounds', 'penny', 'pence'],
  '¥': ['yen', 'yen'],
  '￥': ['yuan', 'yuan'],
  '₹': ['rupee', 'rupees'],
  '₩': ['won', 'won'],
  '₽': ['ruble', 'rubles'],
  '₿': ['bitcoin', 'bitcoins'],
  '₺': ['lira', 'lira'],
  '₫': ['dong', 'dong'],
  '฿': ['baht', 'baht'],
  '₦': ['naira', 'naira'],
  '₪': ['shekel', 'shekels'],
  '₴': ['hryvnia', 'hryvnia'],
  USD: ['U S dollar', 'U S dollars'],
  EUR: ['euro', 'euros'],
  GBP: ['British pound', 'British pounds'],
  CNY: ['yuan', 'yuan'],
  RMB: ['yuan', 'yuan'],
  JPY: ['yen', 'yen'],
  INR: ['rupee', 'rupees'],
  KRW: ['won', 'won'],
  BTC: ['bitcoin', 'bitcoins'],
}
const signs = 'US\\$|HK\\$|A\\$|C\\$|[$€£¥￥₹₩₽₿₺₫฿₦₪₴]'
const codes = 'USD|EUR|GBP|CNY|RMB|JPY|INR|KRW|BTC'
const magnitudes: Record<string, string> = {
  k: 'thousand',
  m: 'million',
  b: 'billion',
  bn: 'billion',
  t: 'trillion',
  tn: 'trillion',
}
const magnitude = '(?: ?(thousand|million|billion|trillion)\\b|([KkMmBbTt]n?)(?![\\w]))?'

const units: Record<string, [one: string, many: string]> = {}
for (const line of `km kilometer kilometers|m meter meters|cm centimeter centimeters|mm millimeter millimeters|μm micrometer micrometers
nm nanometer nanometers|mi mile miles|ft foot feet|yd yard yards|kg kilogram kilograms|g gram grams|mg milligram milligrams
lb pound pounds|lbs pound pounds|oz ounce ounces|L liter liters|l liter liters|ml milliliter milliliters|mL milliliter milliliters
s second seconds|sec second seconds|ms millisecond milliseconds|μs microsecond microseconds|ns nanosecond nanoseconds
min minute minutes|mins minute minutes|h hour hours|hr hour hours|hrs hour hours|yr year years|yrs year years
KB kilobyte kilobytes|kB kilobyte kilobytes|MB megabyte megabytes|GB gigabyte gigabytes|TB terabyte terabytes
PB petabyte petabytes|Hz hertz hertz|kHz kilohertz kilohertz|MHz megahertz megahertz|GHz gigahertz gigahertz|W watt watts
kW kilowatt kilowatts|MW megawatt megawatts|kWh kilowatt-hour kilowatt-hours|V volt volts|mA milliamp milliamps
mAh milliamp-hour milliamp-hours|dB decibel decibels|cal calorie calories|kcal kilocalorie kilocalories
Pa pascal pascals|kPa kilopascal kilopascals|ha hectare hectares|acre acre acres|Mbps megabit megabits
Gbps gigabit gigabits|px pixel pixels`.split(/[|\n]/)) {
  const [symbol, one, many] = line.split(' ')
  units[symbol!] = [one!, many!]
}
const unitNames = Object.keys(units)
  .sort((a, b) => b.length - a.length)
  .join('|')
const unitPattern = new RegExp(
  `${notInside}([−-]?)(${number})(?: ?(?:-|–|to) ?(${number}))?[ -]?(?:(${unitNames})(²|³|\\^?[23](?![\\w]))?(?:\\/(${unitNames}|day|week|month|year|person|second|minute|hour)(²|³)?)?|(mph|kph|kmh|km\\/h|mpg|rpm|fps|bpm|dpi|ppm))(?![\\w/])`,
  'g',
)
const speeds: Record<string, string> = {
  mph: 'miles per hour',
  kph: 'kilometers per hour',
  kmh: 'kilometers per hour',
  mpg: 'miles per gallon',
  rpm: 'revolutions per minute',
  fps: 'frames per second',
  bpm: 'beats per minute',
  dpi: 'dots per inch',
  ppm: 'parts per million',
}

const moneyBefore = new RegExp(
  `(?<![\\w.,])([−-]?)(${signs}) ?([−-]?)(${number})${magnitude}(?: ?[-–] ?(?:${signs})?(${number})${magnitude})?(?:\\/(\\p{L}+))?`,
  'gu',
)
const moneyAfter = new RegExp(`${notInside}([−-]?)(${number})${magnitude} ?(${codes}|[€£¥￥₹₩₽₿¢])(?![\\w])`, 'g')
const moneyCode = new RegExp(`\\b(${codes}) ?(${number})${magnitude}(?![\\w])`, 'g')
const percent = new RegExp(`${notInside}([−+-]?)(${number})(?: ?(?:-|–|to) ?(${number}))? ?([%‰])`, 'g')
const temperature = new RegExp(
  `${notInside}([−-]?)(${number})(?: ?(?:-|–|to) ?(${number}))? ?(?:°|º) ?([CFK])?(?![A-Za-z])|${notInside}([−-]?)(${number}) ?([℃℉])`,
  'g',
)
const range = new RegExp(`${notInside}(${number}) ?(?:–|~|-(?=\\d)) ?(${number})(?![\\w]|[.,-]\\d)`, 'g')

export function readQuantities(text: string): string {
  return readBareNumbers(readShapes(readMeasures(readMoney(text))))
}

function minus(sign: string | undefined): string {
  return sign === '-' || sign === '−' ? 'minus ' : sign === '+' ? 'plus ' : ''
}

function amount(
  digits: string,
  word: string | undefined,
  letter: string | undefined,
  [one, many, cent, cents]: Currency,
): string {
  const scale = word ?? (letter === undefined ? undefined : magnitudes[letter.toLowerCase()])
  if (scale !== undefined) return `${decimal(digits)} ${scale} ${many}`
  const [whole, part] = digits.split('.')
  if (cents === undefined || part?.length !== 2) {
    const shown = part !== undefined && /^0*$/.test(part) ? whole! : digits.replace(/(\.\d*?[1-9])0+$/, '$1')
    return `${decimal(shown)} ${shown === '1' ? one : many}`
  }
  const hundredths = String(Number(part))
  const small = `${cardinal(hundredths)} ${hundredths === '1' ? cent : cents}`
  const large = `${cardinal(whole || '0')} ${whole === '1' ? one : many}`
  if (Number(part) === 0) return large
  return Number(whole) === 0 ? small : `${large} and ${small}`
}

function readMoney(text: string): string {
  return text
    .replace(
      moneyBefore,
      (
        _,
        sign: string,
        symbol: string,
        inner: string,
        digits: string,
        word?: string,
        letter?: string,
        until?: string,
        untilWord?: string,
        untilLetter?: string,
        per?: string,
      ) => {
        const currency = currencies[symbol]!
        const rate = per === undefined ? '' : ` per ${per}`
        if (until === undefined) return minus(sign || inner) + amount(digits, word, letter, currency) + rate
        return `${decimal(digits)} to ${amount(until, untilWord, untilLetter, currency)}${rate}`
      },
    )
    .replace(
      moneyAfter,
      (_, sign: string, digits: string, word: string | undefined, letter: string | undefined, symbol: string) =>
        minus(sign) +
        (symbol === '¢'
          ? `${decimal(digits)} ${digits === '1' ? 'cent' : 'cents'}`
          : amount(digits, word, letter, currencies[symbol]!)),
    )
    .replace(moneyCode, (_, symbol: string, digits: string, word?: string, letter?: string) =>
      amount(digits, word, letter, currencies[symbol]!),
    )
}

/** Uses `one` when the amount is exactly 1. */
function measured(sign: string | undefined, from: string, to: string | undefined, one: string, many: string): string {
  const amounts = to === undefined ? decimal(from) : `${decimal(from)} to ${decimal(to)}`
  return `${minus(sign)}${amounts} ${from === '1' && to === undefined ? one : many}`
}

function readMeasures(text: string): string {
  return text
    .replace(percent, (_, sign: string, from: string, to: string | undefined, mark: string) =>
      measured(sign, from, to, mark === '%' ? 'percent' : 'per mille', mark === '%' ? 'percent' : 'per mille'),
    )
    .replace(
      temperature,
      (
        _,
        sign: string,
        from: string | undefined,
        to: string | undefined,
        scale: string | undefined,
        sign2: string,
        only: string,
        symbol: string,
      ) => {
        const letter = scale ?? (symbol === '℃' ? 'C' : symbol === '℉' ? 'F' : undefined)
        const name = letter === 'C' ? ' Celsius' : letter === 'F' ? ' Fahrenheit' : letter === 'K' ? ' Kelvin' : ''
        return measured(sign ?? sign2, from ?? only, to, 'degree', 'degrees') + name
      },
    )
    .replace(
      /(?<![\w.,])(\d{1,2})'(\d{1,2})"/g,
      (_, feet: string, inches: string) =>
        `${cardinal(feet)} ${feet === '1' ? 'foot' : 'feet'} ${cardinal(inches)} ${inches === '1' ? 'inch' : 'inches'}`,
    )
    .replace(/µ/g, 'μ')
    .replace(
      unitPattern,
      (
        _,
        sign: string,
        from: string,
        to: string | undefined,
        unit: string | undefined,
        power: string | undefined,
        per: string | undefined,
        perPower: string | undefined,
        speed: string | undefined,
      ) => {
        if (unit === undefined)
          return measured(
            sign,
            from,
            to,
            speeds[speed!] ?? 'kilometers per hour',
            speeds[speed!] ?? 'kilometers per hour',
          )
        const [one, many] = units[unit]!
        const squared = power === undefined ? '' : /3|³/.test(power) ? 'cubic ' : 'square '
        const perUnit =
          per === undefined
            ? ''
            : ` per ${units[per]?.[0] ?? per}${perPower === undefined ? '' : perPower === '²' ? ' squared' : ' cubed'}`
        return (
          measured(sign, from, to, squared + one, squared + many) +
          perUnit +
          (/^[MG]bps$/.test(unit) ? ' per second' : '')
        )
      },
    )
}

/** Digits that are not an amount: telephones, versions, fractions, ranges, dimensions. */
function readShapes(text: string): string {
  return text
    .replace(
      /(?<![\w.,])(\+\d{1,3}[ -]?|(?=\())?(\(\d{2,4}\) ?)?\d{2,4}(?:[ .-]\d{2,4}){1,4}(?![\w-]|[.,]\d)/g,
      (all, plus?: string, area?: string) => (plus || area || isTelephone(all) ? telephone(all) : all),
    )
    .replace(/(?<![\w.])\+\d{7,15}(?!\d)/g, (all) => telephone(all))
    .replace(
      /(?<![\w.])(v|version |Version )?(\d+(?:\.\d+){2,})(?![\w])/g,
      (_, prefix: string | undefined, parts: string) => `${prefix === undefined ? '' : 'version '}${points(parts)}`,
    )
    .replace(/(?<!\w)[vV](\d+(?:\.\d+)*)(?![\w])/g, (_, parts: string) => `version ${points(parts)}`)
    .replace(
      /(?<![\w.,/])(?:(\d{1,4}) )?(\d{1,3})\/(\d{1,3})(?![\w/]|[.,]\d)/g,
      (_, whole: string | undefined, above: string, below: string) => {
        if (above === '24' && below === '7')
          return `${whole === undefined ? '' : `${cardinal(whole)} `}twenty-four seven`
        const words = Number(above) < Number(below) ? fraction(above, below) : null
        if (words === null)
          return `${whole === undefined ? '' : `${cardinal(whole)} `}${cardinal(above)} over ${cardinal(below)}`
        return whole === undefined ? words : `${cardinal(whole)} and ${words.replace(/^one /, 'a ')}`
      },
    )
    .replace(/(?<![\w.,])(\d+) ?[x×] ?(?=\d)/g, (_, left: string) => `${cardinal(left)} by `)
    .replace(
      /(?<![\w.,])(\d{1,4}):(\d{1,4})(?![\d:])/g,
      (_, left: string, right: string) => `${cardinal(left)} to ${cardinal(right)}`,
    )
    .replace(/(?<![\w.,])(\d+(?:\.\d+)?)x(?!\w)/g, (_, digits: string) => `${decimal(digits)} times`)
    .replace(/(?<![\w.,-])\d{1,5}(?:-\d{1,5}){2,}(?![\w-])/g, (all) => all.split('-').map(spellOrCardinal).join(' '))
    .replace(range, (_, from: string, to: string) => `${decimal(from)} to ${decimal(to)}`)
}

/** Without a plus sign or an area code in brackets, only the usual groupings are a telephone number. */
function isTelephone(written: string): boolean {
  const shape = written
    .split(/[ .-]/)
    .map((group) => group.length)
    .join('-')
  if (written.includes('.')) return shape === '3-3-4'
  return /^(?:3-4|3-3-4|1-3-3-4|3-4-4|3-2-4|4-3-4|2-4-4)$/.test(shape) && (written.includes('-') || shape.length > 3)
}

function telephone(written: string): string {
  const groups = written
    .match(/\d+/g)!
    .flatMap((group) => (group.length > 4 ? (group.match(/\d{1,3}(?!\d(?!\d))|\d{1,4}$/g) ?? [group]) : [group]))
  return (written.startsWith('+') ? 'plus ' : '') + groups.map(spell).join(', ')
}

function points(parts: string): string {
  return parts.split('.').map(cardinal).join(' point ')
}

function spellOrCardinal(digits: string): string {
  return digits.length > 2 ? spell(digits) : cardinal(digits)
}

function readBareNumbers(text: string): string {
  return text
    .replace(/(?<![\w#])#(\d+)(?!\w)/g, (_, digits: string) => `number ${cardinal(digits)}`)
    .replace(/(?<![\w.])(\d{1,3}(?:,\d{3})+|\d{1,12})(?:st|nd|rd|th)\b/gi, (_, digits: string) => ordinal(digits))
    .replace(/(?<=\d) ?\^ ?(?=\d)/g, ' to the power of ')
    .replace(/(?<=\d)([⁰¹²³⁴⁵⁶⁷⁸⁹]+)/g, (power) =>
      power === '²' ? ' squared' : power === '³' ? ' cubed' : ` to the power of ${power.normalize('NFKC')}`,
    )
    .replace(/(?<=\d) ?\* ?(?=\d)/g, ' times ')
    .replace(/(?<=[\w)]) - (?=\d)/g, ' minus ')
    .replace(/(?<=\d) ?÷ ?(?=\d)/g, ' divided by ')
    .replace(/(?<=\d) ?\+ ?(?=\d)/g, ' plus ')
    .replace(/(?<=\d) ?\/ ?(?=\d)/g, ' over ')
    .replace(new RegExp(`(?<![\\w)][−-]?)[−-](?=\\.?\\d)|−(?=\\.?\\d)`, 'g'), ' minus ')
    .replace(
      /(?<![\p{L}\d_-])(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,21}(?:\.\d+)?|(?<!\d)\.\d+)(?![\p{L}\d_-])/gu,
      (digits) => decimal(digits),
    )
    .replace(/\d{22,}/g, (digits) => ` ${digitByDigit(digits)} `)
}
