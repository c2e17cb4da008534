/**
 * The English reading, made for Flite, which knows ASCII only: words in ASCII letters and the marks that carry prosody
 * (`. , ; : ? ! ' - "`). Letters of a script that has no voice at all stay as they are, so that an engine that spells
 * can still spell them.
 *
 * Rules run from the most specific shape to the most general; what a rule has read is words, which no later rule of
 * numbers matches again.
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

/** Web and mail addresses as people say them. `www` and the scheme are not said. */
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
