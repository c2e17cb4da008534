/**
 * Writing systems: the letters of each script, and the scripts of each language. Routing depends on nothing else.
 */
import { baseLanguage } from '../../language'

const scripts = [
  ['Latn', ['Latn']],
  ['Hani', ['Hani']],
  ['Kana', ['Hira', 'Kana']],
  ['Hang', ['Hang']],
  ['Bopo', ['Bopo']],
  ['Cyrl', ['Cyrl']],
  ['Grek', ['Grek']],
  ['Arab', ['Arab']],
  ['Hebr', ['Hebr']],
  ['Deva', ['Deva']],
  ['Beng', ['Beng']],
  ['Guru', ['Guru']],
  ['Gujr', ['Gujr']],
  ['Orya', ['Orya']],
  ['Taml', ['Taml']],
  ['Telu', ['Telu']],
  ['Knda', ['Knda']],
  ['Mlym', ['Mlym']],
  ['Sinh', ['Sinh']],
  ['Thai', ['Thai']],
  ['Laoo', ['Laoo']],
  ['Mymr', ['Mymr']],
  ['Khmr', ['Khmr']],
  ['Tibt', ['Tibt']],
  ['Geor', ['Geor']],
  ['Armn', ['Armn']],
  ['Ethi', ['Ethi']],
] as const

/** ISO 15924. `Kana` stands for both syllabaries, `Zzzz` for letters of any script without a row in this table. */
export type Script = (typeof scripts)[number][0] | 'Zzzz'

/** Languages whose native scripts are not just Latin. */
const nativeScripts: Record<string, Script[]> = {
  zh: ['Hani', 'Bopo'],
  cmn: ['Hani', 'Bopo'],
  yue: ['Hani', 'Bopo'],
  hak: ['Hani', 'Bopo', 'Latn'],
  ja: ['Kana', 'Hani'],
  ko: ['Hang'],
  ru: ['Cyrl'],
  uk: ['Cyrl'],
  be: ['Cyrl'],
  bg: ['Cyrl'],
  mk: ['Cyrl'],
  sr: ['Cyrl', 'Latn'],
  kk: ['Cyrl'],
  ky: ['Cyrl'],
  tt: ['Cyrl'],
  ba: ['Cyrl'],
  cv: ['Cyrl'],
  mn: ['Cyrl'],
  el: ['Grek'],
  grc: ['Grek'],
  ar: ['Arab'],
  fa: ['Arab'],
  ur: ['Arab'],
  sd: ['Arab'],
  ug: ['Arab'],
  he: ['Hebr'],
  hi: ['Deva'],
  mr: ['Deva'],
  ne: ['Deva'],
  kok: ['Deva'],
  bn: ['Beng'],
  as: ['Beng'],
  bpy: ['Beng'],
  pa: ['Guru'],
  gu: ['Gujr'],
  or: ['Orya'],
  ta: ['Taml'],
  te: ['Telu'],
  kn: ['Knda'],
  ml: ['Mlym'],
  si: ['Sinh'],
  my: ['Mymr'],
  th: ['Thai'],
  ka: ['Geor'],
  hy: ['Armn'],
  hyw: ['Armn'],
  am: ['Ethi'],
}

/** The native scripts of a language (BCP 47). */
export function scriptsOf(language: string): readonly Script[] {
  return nativeScripts[baseLanguage(language)] ?? ['Latn']
}

/** A run of letters of one script. `null`: characters without a script (digits, marks, spaces, emoji). */
type ScriptRun = { script: Script | null; text: string }

const letterGroups = scripts
  .map(([script, unicodeNames]) => {
    const letters = unicodeNames.map((name) => `\\p{Script=${name}}`).join('')
    // Both syllabaries share the long vowel mark. Marks and apostrophes stay with their word.
    const inner = script === 'Kana' ? 'ー\\p{M}' : script === 'Latn' ? "\\p{M}'’" : '\\p{M}\\u200C\\u200D'
    return `((?=[\\p{L}\\p{Nl}\\p{M}])[${letters}][${letters}${inner}]*)`
  })
  .join('|')
const runPattern = new RegExp(`${letterGroups}|(\\p{L}[\\p{L}\\p{M}]*)|[^\\p{L}\\p{Nl}]+|[^]`, 'gu')

/** Cuts text into runs. Joined again they are the text. */
export function scriptRuns(text: string): ScriptRun[] {
  const runs: ScriptRun[] = []
  for (const match of text.matchAll(runPattern)) {
    const group = match.findIndex((letters, index) => index > 0 && letters !== undefined)
    runs.push({ script: group < 0 ? null : (scripts[group - 1]?.[0] ?? 'Zzzz'), text: match[0] })
  }
  return runs
}
