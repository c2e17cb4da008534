/** English words that are not read as written: abbreviations, Roman numerals, acronyms, names with digits. */
import { cardinal, ordinal, romanValue, spell } from './english-numbers'

const set = (list: string) => new Set(list.split(' '))

/** Acronyms spoken as words. */
const spokenAcronyms = set(
  'NASA NATO UNESCO UNICEF OPEC FIFA UEFA NAFTA ASEAN OSHA FEMA RADAR LASER SCUBA SONAR LIDAR AIDS COVID SARS MERS SWAT' +
    ' PIN RAM ROM SIM GIF ASCII CAPTCHA POTUS SCOTUS YOLO FOMO AWOL ZIP NAND JPEG BIOS LAN WAN MIDI UNIX LINUX CUDA BASIC' +
    ' COBOL WIFI ASAP IKEA LEGO VISA CERN DARPA NIMBY GUI TOEFL',
)
/** Acronyms that are spelled although they have vowels. Words in capitals without a vowel are always spelled. */
const spelledAcronyms = set(
  'FBI CIA USA UK EU UN UAE API URL URI AI IO UI UX ID IBM CEO CFO CTO COO CIO ATM ISO IEEE IETF IPO ICU UFO VIP DIY FAQ' +
    ' DNA RNA CPU GPU TPU USB IP ISP IPA IDE SDK AWS GPA GPT IQ EQ AM USD EUR NBA NFL MBA MIT UCLA BMI ADHD OCD MRI' +
    ' RSVP AKA ETA EST EDT IRS USPS USSR EULA ERP IOT OS IOS IPS LED OLED LCD HIV EKG ER OCR TTS STT ASR AGI SUV EV' +
    ' ABC BBC NBC ABS UPS USS AC OK NYU UV AOL HIIT PIA ECG EEG AAA IRC IM IRA ROI SEO UAV USC UTC UTF OAUTH',
)
/** In a text all in capitals these are ordinary words. */
const words = set('US IT IS AM OR ON IN AT BE BY HE IF ME MY NO OF SO TO UP WE AN AS DO GO HI OH')

const abbreviations: Record<string, string> = {
  mr: 'Mister',
  mrs: 'Misses',
  ms: 'Miz',
  prof: 'Professor',
  rev: 'Reverend',
  gen: 'General',
  col: 'Colonel',
  maj: 'Major',
  capt: 'Captain',
  cmdr: 'Commander',
  lt: 'Lieutenant',
  sgt: 'Sergeant',
  gov: 'Governor',
  sen: 'Senator',
  rep: 'Representative',
  hon: 'Honorable',
  jr: 'Junior',
  sr: 'Senior',
  vs: 'versus',
  etc: 'et cetera',
  approx: 'approximately',
  est: 'estimated',
  dept: 'Department',
  assn: 'Association',
  ave: 'Avenue',
  blvd: 'Boulevard',
  rd: 'Road',
  mt: 'Mount',
  ft: 'Fort',
  inc: 'Incorporated',
  ltd: 'Limited',
  corp: 'Corporation',
  co: 'Company',
  bros: 'Brothers',
  vol: 'volume',
  fig: 'figure',
  jan: 'January',
  feb: 'February',
  apr: 'April',
  aug: 'August',
  sept: 'September',
  sep: 'September',
  oct: 'October',
  nov: 'November',
  dec: 'December',
  mon: 'Monday',
  tue: 'Tuesday',
  tues: 'Tuesday',
  wed: 'Wednesday',
  thurs: 'Thursday',
  fri: 'Friday',
  al: 'al',
}
/** Abbreviations that may also end a sentence; they then keep the full stop. */
const finals = set('etc inc ltd corp co jr sr bros ave blvd rd')

const regnalNames = set(
  'Henry Louis Charles Elizabeth George James William Edward Richard Philip Felipe Paul John Pius Benedict Francis Leo' +
    ' Gregory Napoleon Frederick Wilhelm Peter Catherine Alexander Nicholas Ivan Ramses Ramesses Ptolemy Innocent Clement' +
    ' Urban Xerxes Darius Mary Harald Olaf Gustav Christian Carlos Alfonso Ferdinand Leopold Albert Otto Malcolm Robert' +
    ' David Kenneth Constantine Theodore Mehmed Murad Suleiman Boniface Urban Sixtus Julius Victor Umberto Haakon',
)
const numberedNouns = set(
  'Chapter Part Volume Section Act Scene Book Type Phase Level Appendix Class Article Title Grade Stage Episode Season' +
    ' War Bowl Fantasy Rocky Unit Figure Table Division Corps Group Mark Vatican Apollo',
)

/** Reads `No. 5` and `pp. 3-7`. It must run before numbers become words, because it needs the digits. */
export function readCounting(text: string): string {
  return text
    .replace(/\b(?:No|Nos|no|nos)\. ?(?=\d)|№ ?/g, 'number ')
    .replace(/\bpp\. ?(?=\d)/g, 'pages ')
    .replace(/\bp\. ?(?=\d)/g, 'page ')
    .replace(/\b([Vv]ol|[Ff]ig|[Cc]h|[Ss]ec)\. ?(?=\d)/g, (_, word: string) => `${countingWords[word.toLowerCase()]} `)
}

const countingWords: Record<string, string> = { vol: 'volume', fig: 'figure', ch: 'chapter', sec: 'section' }

export function readWords(text: string): string {
  return readAlphanumerics(readAcronyms(readRoman(readTags(readAbbreviations(text)))))
}

function readAbbreviations(text: string): string {
  return text
    .replace(/\be\.g\.,?/gi, 'for example,')
    .replace(/\bi\.e\.,?/gi, 'that is,')
    .replace(/\bPh\.? ?D\b(\.(?! *$| +[A-Z]))?/g, 'P H D')
    .replace(/\bDr\.?(?= (?:[A-Z]|\d|["']))/g, (_, at: number, whole: string) =>
      isStreet(whole, at) ? 'Drive' : 'Doctor',
    )
    .replace(
      /\bDr\b(\.)?/g,
      (_, stop: string | undefined, at: number, whole: string) =>
        `${/\w $/.test(whole.slice(0, at)) ? 'Drive' : 'Doctor'}${keepStop(stop, at + 3, whole)}`,
    )
    .replace(/\bSt\.(?= [A-Z])/g, (_, at: number, whole: string) => (isStreet(whole, at) ? 'Street' : 'Saint'))
    .replace(
      /\bSt\b(\.)?/g,
      (_, stop: string | undefined, at: number, whole: string) => `Street${keepStop(stop, at + 3, whole)}`,
    )
    .replace(/\b([A-Z]?[a-z]{1,6})\.(?=[\s,;:)"'?!]|$)/g, (all, word: string, at: number, whole: string) => {
      const lower = word.toLowerCase()
      const full = Object.hasOwn(abbreviations, lower) ? abbreviations[lower]! : null
      if (full === null || (lower === word && /^(?:mon|fri|wed|sen|rep|est|jan|co|fig|gen)$/.test(lower))) return all
      return full + (finals.has(lower) ? keepStop('.', at + all.length, whole) : '')
    })
    .replace(/\b(?:Mr|Mrs|Ms)(?= [A-Z])/g, (title) => abbreviations[title.toLowerCase()]!)
    .replace(/\bw\/o\b/g, 'without')
    .replace(/\bw\/(?= )/g, 'with')
    .replace(/\bc\/o\b/g, 'care of')
    .replace(/\b(?:[A-Za-z]\.){2,}(?![A-Za-z])/g, (all, at: number, whole: string) => {
      const letters = all.replaceAll('.', ' ').trim().toUpperCase()
      return letters + keepStop('.', at + all.length, whole)
    })
}

/** Whether a number and a name stand before it: `5 Main Dr. Springfield`. */
function isStreet(text: string, at: number): boolean {
  return /(?:\d|first|second|third|[a-z]th|one|two|three|four|five|six|seven|eight|nine|ten|[a-z]ty|teen)(?: [A-Z][a-z]+){1,2} $/.test(
    text.slice(Math.max(0, at - 60), at),
  )
}

/** Keeps the full stop of an abbreviation at the end of a sentence, where it also ends the sentence. */
function keepStop(stop: string | undefined, end: number, text: string): string {
  return stop !== undefined && /^["')\]]*$/.test(text.slice(end).trim()) ? '.' : ''
}

/** Reads `@name` and `#tag`. */
function readTags(text: string): string {
  return text
    .replace(/(?<![\w.])@(?=\w)/g, 'at ')
    .replace(/\b([CF])#(?!\w)/g, '$1 sharp')
    .replace(/\bC\+\+/g, 'C plus plus')
    .replace(/(?<![\w&])#(\w+)/g, (_, tag: string) => `hashtag ${tag.replace(/(?<=[a-z])(?=[A-Z])|_/g, ' ')}`)
}

function readRoman(text: string): string {
  return text.replace(
    /\b([A-Z][a-z]+) ([IVXL]{1,6})(?![\w'’-]|\.\w)/g,
    (all, before: string, numeral: string, at: number, whole: string) => {
      const value = romanValue(numeral)
      if (value === null) return all
      const after = whole.slice(at + all.length, at + all.length + 6)
      if (numeral === 'I' && /^ [a-z]/.test(after) && !/^ (?:of|was|is|and)\b/.test(after)) return all
      if (regnalNames.has(before)) return `${before} the ${ordinal(String(value))}`
      const plainlyNumeral = /^(?:II|III|VII|VIII|XII|XIII|XIV|XVI|XVII|XVIII)$/.test(numeral)
      return numberedNouns.has(before) || plainlyNumeral ? `${before} ${cardinal(String(value))}` : all
    },
  )
}

function isShouted(text: string): boolean {
  const capitals =
    text.match(/\b[A-Z]*[AEIOUY][A-Z]*\b/g)?.filter((word) => word.length > 1 && !spelledAcronyms.has(word)) ?? []
  return capitals.length >= 2 && !/[a-z]{2}/.test(text)
}

function readAcronyms(text: string): string {
  const shouted = isShouted(text)
  const joined = text.replace(
    /\b([A-Z]{1,2})&([A-Z])\b/g,
    (_, left: string, right: string) => `${[...left].join(' ')} and ${right}`,
  )
  return joined.replace(
    /(?<![A-Za-z])([A-Z]{2,})('?s\b)?(?![a-z])/g,
    (all, letters: string, plural: string | undefined, at: number) => {
      const suffix = plural === undefined ? '' : "'s"
      if (spokenAcronyms.has(letters)) return letters[0] + letters.slice(1).toLowerCase() + suffix
      if (shouted && (words.has(letters) || letters.length > 5)) return letters.toLowerCase() + suffix
      const vowels = /[AEIOU]/.test(letters) || (/Y/.test(letters) && (shouted || letters.length > 3))
      const model = letters.length <= 3 && /^-?\d/.test(joined.slice(at + all.length))
      const spelled =
        letters.length <= 6 && (model || spelledAcronyms.has(letters) || !vowels || (letters === 'US' && !shouted))
      return spelled ? [...letters].join(' ') + suffix : letters.toLowerCase() + suffix
    },
  )
}

/** Reads words of letters and digits: `B2B`, `MP3`, `COVID-19`, `H2O`, `iPhone15`. */
function readAlphanumerics(text: string): string {
  return text
    .replace(/[^\P{N}0-9]/gu, asciiNumber)
    .replace(/\bI Pv(?=\d)|\bIPv(?=\d)/g, 'I P v ')
    .replace(/\bA ?(?=\d)/g, 'A-')
    .replace(/(?<=[A-Za-z])-?(\d+)/g, (_, digits: string) => ` ${numberInName(digits)} `)
    .replace(
      /(?<!\d)(\d+)(-?)(?=[A-Za-z])/g,
      (_, digits: string, hyphen: string) => numberInName(digits) + (hyphen || ' '),
    )
    .replace(/\d+(?:\.\d+)*/g, (digits) => ` ${digits.split('.').map(numberInName).join(' point ')} `)
}

/** Model numbers of four digits and more are not amounts. */
function numberInName(digits: string): string {
  return digits.length > 3 ? spell(digits) : cardinal(digits)
}

/** Superscripts and similar digits that no other rule has read. */
function asciiNumber(letter: string): string {
  const plain = letter.normalize('NFKC')
  return /^\d+$/.test(plain) ? plain : ' number '
}
