/**
 * Normalizes English text for Flite, which knows ASCII only: words in ASCII letters and the marks that carry prosody
 * (`. , ; : ? ! ' - "`). Letters of a script without any voice stay, so that an engine can spell them.
 *
 * Rules run from the most specific shape to the most general. A rule replaces its match by words, which no later number
 * rule matches.
 */
import { nameEmoji } from './emoji'
import { readDatesAndTimes } from './english-dates'
import { readQuantities } from './english-quantities'
import { readSymbols, tidyEnglish } from './english-symbols'
import { readCounting, readWords } from './english-words'

export function normalizeEnglish(text: string, language: string): string {
  let reading = nameEmoji(text, 'en', (name) => `, ${name}, `)
    .replace(/[‘’‛′`´]/g, "'")
    .replace(/[“”„‟″«»「」『』《》〈〉]/g, '"')
    .replace(/[\u2010\u2011]/g, '-')
    .replace(/[\u2212\uFF0D]/g, '−')
    .replaceAll('―', '—')
  reading = readAddresses(reading)
  if (/\d/.test(reading)) {
    reading = readDatesAndTimes(readCounting(reading), language)
    reading = readQuantities(reading)
  }
  return tidyEnglish(readSymbols(readWords(reading)))
}

/** Reads web and mail addresses as people do, without `www` and the scheme. */
function readAddresses(text: string): string {
  return text
    .replace(/(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}/g, (address) => {
      const at = address.indexOf('@')
      return `${speakAddress(address.slice(0, at))} at ${speakAddress(address.slice(at + 1))}`
    })
    .replace(/\b(?:https?|ftp):\/\/(?:www\.)?([^\s<>"',，。)]*[\w/])/gi, (_, address: string) => speakAddress(address))
    .replace(
      /(?<![\w.@-])(?:www\.)?([A-Za-z][\w-]{1,62}(?:\.[\w-]{1,63}){0,3}\.(?:com|org|net|edu|gov|io|dev|app|ai|co|me|info|cn|uk|de|fr|jp|eu|us|tv))((?:\/[^\s<>"',，。)]*[\w/])?)(?![\w-])/g,
      (_, host: string, path: string) => speakAddress(host + path),
    )
}

const addressMarks: Record<string, string> = {
  '.': ' dot ',
  '/': ' slash ',
  '-': ' dash ',
  _: ' underscore ',
  '?': ' question mark ',
  '=': ' equals ',
  '&': ' and ',
  '#': ' hash ',
  ':': ' colon ',
  '+': ' plus ',
  '%': ' percent ',
  '~': ' tilde ',
  '@': ' at ',
}

function speakAddress(address: string): string {
  return address.replace(/\/$/, '').replace(/[./\-_?=&#:+%~@]/g, (mark) => addressMarks[mark]!)
}
