/** Numbers, times and sizes as the reader's language writes them. */
import { language } from './words/words'

const memo = <T>(make: (tag: string) => T) => {
  const made = new Map<string, T>()
  return (): T => {
    const tag = language.value === 'zh' ? 'zh-CN' : 'en'
    let found = made.get(tag)
    if (!found) made.set(tag, (found = make(tag)))
    return found
  }
}

const plain = memo((tag) => new Intl.NumberFormat(tag))
const short = memo((tag) => new Intl.NumberFormat(tag, { notation: 'compact', maximumFractionDigits: 1 }))
const signed = memo((tag) => new Intl.NumberFormat(tag, { signDisplay: 'exceptZero' }))
const percent = memo((tag) => new Intl.NumberFormat(tag, { style: 'percent', maximumFractionDigits: 0 }))
const decimal = memo((tag) => new Intl.NumberFormat(tag, { maximumFractionDigits: 2 }))
const day = memo((tag) => new Intl.DateTimeFormat(tag, { dateStyle: 'medium' }))
const minute = memo((tag) => new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'short' }))
const relative = memo((tag) => new Intl.RelativeTimeFormat(tag, { numeric: 'auto' }))

/** `12,345`. */
export const formatNumber = (value: number): string => plain().format(value)
/** `+12,345`. */
export const formatSigned = (value: number): string => signed().format(value)
/** `12.3K`. */
export const formatShort = (value: number): string => short().format(value)
/** At most two digits behind the point. */
export const formatDecimal = (value: number): string => decimal().format(value)
/** `0.42` as `42%`. */
export const formatPercent = (ratio: number): string => percent().format(ratio)
/** `Nov 22, 2026`. */
export const formatDay = (iso: string): string => day().format(new Date(iso))
/** `Nov 22, 2026, 1:05 PM`. */
export const formatTime = (iso: string): string => minute().format(new Date(iso))

const steps = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** `3 minutes ago`. */
export function formatAgo(iso: string): string {
  const seconds = (Date.parse(iso) - Date.now()) / 1000
  const [unit, size] = steps.find(([, size]) => Math.abs(seconds) >= size) ?? steps.at(-1)!
  return relative().format(Math.trunc(seconds / size), unit)
}

/** Milliseconds as `2.4 s`, `1:05` or `12:01:05`. */
export function formatDuration(ms: number): string {
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  const minutes = Math.floor(seconds / 60)
  const two = (value: number) => String(value).padStart(2, '0')
  const head = minutes < 60 ? `${minutes}` : `${Math.floor(minutes / 60)}:${two(minutes % 60)}`
  return `${head}:${two(seconds % 60)}`
}

const sizes = ['B', 'kB', 'MB', 'GB', 'TB']

const languages = memo((tag) => new Intl.DisplayNames(tag, { type: 'language' }))

/** A language tag such as `en-US` as `American English`. */
export function formatLanguage(tag: string): string {
  try {
    return languages().of(tag) ?? tag
  } catch {
    // A pack may name what is no tag.
    return tag
  }
}

/** Bytes as `1.2 MB`. */
export function formatSize(bytes: number): string {
  const power = Math.min(sizes.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3))
  return `${(bytes / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${sizes[power]}`
}
