/** English dates, times, years and decades. */
import { cardinal, decade, ordinal, year } from './english-numbers'

const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]
const monthPattern =
  '(Jan(?:uary|\\.)?|Feb(?:ruary|\\.)?|Mar(?:ch|\\.)?|Apr(?:il|\\.)?|May|June?|July?|Aug(?:ust|\\.)?|' +
  'Sept?(?:ember|\\.)?|Oct(?:ober|\\.)?|Nov(?:ember|\\.)?|Dec(?:ember|\\.)?)'
const yearAfter = '(?:(,?) (\\d{4})\\b(?![.,]\\d))?'
const monthFirst = new RegExp(
  `\\b${monthPattern} (\\d{1,2})(?:st|nd|rd|th)?(?:[-–](\\d{1,2}))?\\b(?![:.,]\\d|%)${yearAfter}`,
  'g',
)
const dayFirst = new RegExp(`\\b(the )?(\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${monthPattern}(?![a-z])${yearAfter}`, 'g')
const monthYear = new RegExp(`\\b${monthPattern},? (\\d{4})\\b(?![.,]\\d)`, 'g')

/** Words in -s that are no plural noun, so a number before them may be a year: `1999 was`. */
const notCounted = /^ ?(?:is|was|has|does|its|as|this|thus|us|vs)\b/

export function readDatesAndTimes(text: string, language: string): string {
  return readYears(readTimes(readDates(text, language === 'en-US' || !language.includes('-'))))
}

function monthName(abbreviation: string): string {
  return months.find((month) => month.startsWith(abbreviation.slice(0, 3)))!
}

function spokenDate(month: number, day: number, yearDigits: string | undefined): string | null {
  if (month < 1 || month > 12 || day < 1 || day > 31) return null
  const date = `${months[month - 1]} ${ordinal(String(day))}`
  return yearDigits === undefined ? date : `${date}, ${year(yearDigits)}`
}

function readDates(text: string, monthComesFirst: boolean): string {
  return text
    .replace(
      /(?<![\w.,/-])(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?:T(?=\d))?(?![\d/-])/g,
      (all, y: string, _, m: string, d: string) => {
        const date = spokenDate(Number(m), Number(d), y)
        return date === null ? all : `${date} `
      },
    )
    .replace(
      /(?<![\w.,/-])(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})(?![\d/-])(?!\.\d)/g,
      (all, a: string, mark: string, b: string, y: string) => {
        if (y.length === 2 && mark !== '/') return all
        const full = y.length === 4 ? y : `${Number(y) < 50 ? 20 : 19}${y}`
        const [first, second] = [Number(a), Number(b)]
        const monthFirstHere = monthComesFirst && mark !== '.' ? first <= 12 : second > 12
        return (monthFirstHere ? spokenDate(first, second, full) : spokenDate(second, first, full)) ?? all
      },
    )
    .replace(
      /(?<![\w.,/-])(0\d|1[0-2])\/([0-3]\d)(?![\d/])/g,
      (all, m: string, d: string) => spokenDate(Number(m), Number(d), undefined) ?? all,
    )
    .replace(monthFirst, (all, month: string, day: string, until: string | undefined, comma: string, y?: string) => {
      if (Number(day) < 1 || Number(day) > 31) return all
      const days = ordinal(String(Number(day))) + (until === undefined ? '' : ` to ${ordinal(String(Number(until)))}`)
      return `${monthName(month)} ${days}${y === undefined ? '' : `${comma || ','} ${year(y)}`}`
    })
    .replace(dayFirst, (all, _, day: string, month: string, comma: string, y?: string) => {
      if (Number(day) < 1 || Number(day) > 31) return all
      return `the ${ordinal(String(Number(day)))} of ${monthName(month)}${y === undefined ? '' : `${comma || ','} ${year(y)}`}`
    })
    .replace(monthYear, (_, month: string, y: string) => `${monthName(month)} ${year(y)}`)
}

/** Reads am and pm as two letters, in any spelling. */
function halfDay(written: string | undefined): string {
  return written === undefined ? '' : /^a/i.test(written) ? ' A M' : ' P M'
}

function readTimes(text: string): string {
  return text
    .replace(/(?<=\d ?[AaPp]\.?[Mm]\.?) ?[-–] ?(?=\d)/g, ' to ')
    .replace(
      /(?<![\d.,:])([01]?\d|2[0-4]):([0-5]\d)(?::([0-5]\d))?(?![\d:])(?: ?([AaPp])\.?[Mm]\b(\.(?! *$| +[A-Z]))?)?/g,
      (_, h: string, m: string, s: string | undefined, half: string | undefined) => {
        const hour = cardinal(String(Number(h)))
        const seconds =
          s === undefined ? '' : ` and ${Number(s) === 1 ? 'one second' : `${cardinal(String(Number(s)))} seconds`}`
        let time = `${hour} ${m.startsWith('0') ? `oh ${cardinal(m[1]!)}` : cardinal(m)}`
        if (m === '00')
          time =
            half !== undefined
              ? hour
              : Number(h) > 12
                ? `${hour} hundred`
                : Number(h) === 0
                  ? 'zero hundred'
                  : `${hour} o'clock`
        return time + seconds + halfDay(half)
      },
    )
    .replace(
      /(?<=\d ?)(?:([AaPp])\.[Mm]\b(\.(?! *$| +[A-Z]))?|([AaPp])[Mm]\b)/g,
      (_, dotted?: string, _stop?: string, plain?: string) => halfDay(dotted ?? plain),
    )
}

function readYears(text: string): string {
  return text
    .replace(/(?<!\w)'(\d0)s\b/g, (_, digits: string) => decade(digits))
    .replace(/(?<![\d.,-])(\d{2}|\d{4})'?s\b/g, (all, digits: string) => (digits.endsWith('0') ? decade(digits) : all))
    .replace(
      /(?<![\w.,$€£¥￥#+/-])(\d{1,4}) ?(BCE|BC|CE|AD)\b/g,
      (_, digits: string, era: string) => `${year(digits)} ${[...era].join(' ')}`,
    )
    .replace(/\bAD (\d{1,4})\b/g, (_, digits: string) => `A D ${year(digits)}`)
    .replace(
      /(?<![\w.,$€£¥￥#+/:−-])(1[1-9]\d\d|20\d\d) ?[-–] ?(1[1-9]\d\d|20\d\d|\d\d)(?![\w/-]|[.,:]\d)/g,
      (_, from: string, to: string) => `${year(from)} to ${to.length === 4 ? year(to) : cardinal(to)}`,
    )
    .replace(
      /(?<![\w.,$€£¥￥₹₩₿#+/:−-]|[−+×=<>] )(1[1-9]\d\d|20\d\d)(?![\w%°/-]|[.,:]\d| ?[€£¥₹₩])/g,
      (all, digits: string, at: number, whole: string) => {
        const after = whole.slice(at + 4, at + 24)
        const counted =
          /^ (?:[a-z]+s|people|men|women|children|percent|km|kg|mm|cm|mph|[KMG]B|USD|EUR|GBP|[x×*+=<>−] ?)\b/.test(
            after,
          ) && !notCounted.test(after)
        return counted ? all : year(digits)
      },
    )
}
