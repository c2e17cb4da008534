/**
 * Names the script of letters that no voice can say, in English or Mandarin, once for consecutive letters ("Cherokee
 * letters"). Script names come from the Unicode CLDR.
 */
import { baseLanguage } from '../../language'

/** ISO 15924 codes of Unicode 17, without `Zyyy`, `Zinh` and `Zzzz`. */
const codes =
  'Adlm Aghb Ahom Arab Armi Armn Avst Bali Bamu Bass Batk Beng Berf Bhks Bopo Brah Brai Bugi Buhd Cakm Cans Cari Cham ' +
  'Cher Chrs Copt Cpmn Cprt Cyrl Deva Diak Dogr Dsrt Dupl Egyp Elba Elym Ethi Gara Geor Glag Gong Gonm Goth Gran Grek ' +
  'Gujr Gukh Guru Hang Hani Hano Hatr Hebr Hira Hluw Hmng Hmnp Hung Ital Java Kali Kana Kawi Khar Khmr Khoj Kits Knda ' +
  'Krai Kthi Lana Laoo Latn Lepc Limb Lina Linb Lisu Lyci Lydi Mahj Maka Mand Mani Marc Medf Mend Merc Mero Mlym Modi ' +
  'Mong Mroo Mtei Mult Mymr Nagm Nand Narb Nbat Newa Nkoo Nshu Ogam Olck Onao Orkh Orya Osge Osma Ougr Palm Pauc Perm ' +
  'Phag Phli Phlp Phnx Plrd Prti Rjng Rohg Runr Samr Sarb Saur Sgnw Shaw Shrd Sidd Sidt Sind Sinh Sogd Sogo Sora Soyo ' +
  'Sund Sunu Sylo Syrc Tagb Takr Tale Talu Taml Tang Tavt Tayo Telu Tfng Tglg Thaa Thai Tibt Tirh Tnsa Todr Tols Toto ' +
  'Tutg Ugar Vaii Vith Wara Wcho Xpeo Xsux Yezi Yiii Zanb'

type Naming = {
  /** `script`: the script's name; null for a letter without one. */
  letters(script: string | null, several: boolean): string
  /** Phrase for two scripts in a row. */
  both(scripts: readonly [string, string]): string
  /** Phrase for more than two. */
  many(scripts: number): string
  numbers(several: boolean): string
  /** Names that replace those of the CLDR. */
  readonly scripts: Readonly<Record<string, string>>
}

const english: Naming = {
  letters(script, several) {
    if (script === null) return several ? 'letters' : 'letter'
    return /glyphs$/.test(script) ? script : `${script} ${several ? 'letters' : 'letter'}`
  },
  both: ([one, other]) => `${one} and ${other} letters`,
  many: (scripts) => `letters of ${scripts} scripts`,
  numbers: (several) => (several ? 'numbers' : 'number'),
  // The names that eSpeak NG uses.
  scripts: { Hani: 'Chinese' },
}

const mandarin: Naming = {
  letters: (script) => (script === '汉字' ? script : `${script ?? ''}字母`),
  both: ([one, other]) => `${one}和${other}字母`,
  many: (scripts) => `${scripts}种文字的字母`,
  numbers: () => '数字',
  scripts: { Hani: '汉字' },
}

export function isNamedIn(language: string): boolean {
  return ['en', 'zh', 'cmn'].includes(baseLanguage(language))
}

/** A phrase for the letters and numbers of `text`, in English unless `language` (BCP 47) is Chinese. */
export function nameLetters(text: string, language: string): string {
  const naming = ['zh', 'cmn'].includes(baseLanguage(language)) ? mandarin : english
  const letters = text.match(/\p{L}/gu) ?? []
  if (letters.length === 0) return naming.numbers((text.match(/\p{N}/gu)?.length ?? 0) > 1)
  const scripts = [...new Set(letters.map(scriptCode))]
  const names = scripts.map((code) => code && scriptName(code, naming))
  if (names.length === 1) return naming.letters(names[0]!, letters.length > 1)
  const [one, other] = names
  return names.length === 2 && one && other ? naming.both([one, other]) : naming.many(names.length)
}

let patterns: readonly (readonly [code: string, pattern: RegExp])[] | undefined

function scriptCode(letter: string): string | null {
  patterns ??= codes.split(' ').map((code) => [code, new RegExp(`\\p{Script=${code}}`, 'u')] as const)
  return patterns.find(([, pattern]) => pattern.test(letter))?.[0] ?? null
}

const displayNames = new Map<Naming, Intl.DisplayNames>()

/** null for a script that has no name yet. */
function scriptName(code: string, naming: Naming): string | null {
  const own = naming.scripts[code]
  if (own !== undefined) return own
  let names = displayNames.get(naming)
  if (!names)
    displayNames.set(naming, (names = new Intl.DisplayNames(naming === english ? 'en' : 'zh-Hans', { type: 'script' })))
  const name = names.of(code)!
  return name === code ? null : name.replace(/（.*）/, '').replace(/文字$/, '文')
}
