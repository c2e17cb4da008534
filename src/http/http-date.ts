/** Dates in HTTP headers (RFC 9110 section 5.6.7), in the three forms that a recipient must accept. */

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const month = `(?<month>${months.join('|')})`
const time = String.raw`(?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)`
const forms = [
  String.raw`(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (?<day>\d\d) ${month} (?<year>\d{4}) ${time} GMT`,
  String.raw`(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (?<day>\d\d)-${month}-(?<year>\d\d) ${time} GMT`,
  String.raw`(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ${month} (?<day>[ \d]\d) ${time} (?<year>\d{4})`,
].map((form) => new RegExp(`^${form}$`))

/** Milliseconds since 1970, a multiple of 1000; undefined for an invalid date. */
export function parseHttpDate(text: string, nowMs: number): number | undefined {
  for (const form of forms) {
    const parts = form.exec(text)?.groups
    if (parts) return timeOf(parts, nowMs)
  }
  return undefined
}

/** The form `Sun, 06 Nov 1994 08:49:37 GMT`. */
export function formatHttpDate(timeMs: number): string {
  return new Date(timeMs).toUTCString()
}

function timeOf(parts: Record<string, string>, nowMs: number): number | undefined {
  const [day, hour, minute, second] = ['day', 'hour', 'minute', 'second'].map((name) => Number(parts[name])) as [
    number,
    number,
    number,
    number,
  ]
  const year = parts.year!.length === 2 ? centuryOf(Number(parts.year), nowMs) : Number(parts.year)
  const midnight = new Date(0)
  midnight.setUTCFullYear(year, months.indexOf(parts.month!), day)
  // Second 60 is a leap second.
  const isTime = midnight.getUTCDate() === day && hour < 24 && minute < 60 && second <= 60
  return isTime ? midnight.getTime() + ((hour * 60 + minute) * 60 + second) * 1000 : undefined
}

/** A two-digit year more than 50 years ahead means the last year with the same digits. */
function centuryOf(year: number, nowMs: number): number {
  const thisYear = new Date(nowMs).getUTCFullYear()
  const full = thisYear - (thisYear % 100) + year
  return full > thisYear + 50 ? full - 100 : full
}
