/**
 * Piper's phoneme type `pinyin`: ids of initial, final and tone for each syllable, as in
 * https://github.com/OHF-Voice/piper1-gpl src/piper/phonemize_chinese.py. Finals are in pinyin notation (`y` and `w`
 * are initials, `iu`, `ui`, `un`). A pad follows only a group: a syllable or a mark. Upstream chooses readings with a
 * neural network (g2pW), this code with the dictionary. Both keep third tones, and give 一 and 不 their spoken tone.
 * Two additions: ASCII marks count as full-width ones, and 呣, 哼 and similar, at which upstream ends the sentence, are
 * dropped. Words in other letters are dropped, as upstream.
 */
import { splitSentences } from '../text/sentences'
import type { HanSyllable } from './syllable'

const fullWidth: Readonly<Record<string, string>> = {
  '.': '。',
  '?': '？',
  '!': '！',
  ',': '，',
  ':': '：',
  ';': '；',
  '–': '—',
}

/**
 * Ids per sentence of a normalized text; sentences without syllables are dropped. `ids`: `phoneme_id_map` of the
 * voice's configuration.
 */
export async function toPinyinIds(text: string, ids: ReadonlyMap<string, readonly number[]>): Promise<number[][]> {
  const { toSyllables } = await import('./pinyin')
  return splitSentences(text).flatMap(({ text: sentence }) => {
    const groups = toSyllables(sentence).flatMap((syllable) => {
      if (!('other' in syllable)) return [syllableGroup(syllable)]
      return [[fullWidth[syllable.other] ?? syllable.other]]
    })
    const known = groups.filter((group) => group.length > 0 && group.every((symbol) => ids.has(symbol)))
    if (!known.some((group) => group.length > 1)) return []
    const pad = ids.get('_')!
    return [
      [
        ...ids.get('^')!,
        ...pad,
        ...known.flatMap((group) => [...group.flatMap((symbol) => ids.get(symbol)!), ...pad]),
        ...ids.get('$')!,
      ],
    ]
  })
}

function syllableGroup({ hanzi, initial, final, tone, citationTone }: HanSyllable): string[] {
  const written = writePinyin(initial, final)
  const symbol = String(hanzi === '一' || hanzi === '不' ? tone : citationTone)
  const match = /^((?:[zcs]h|[bpmfdtnlgkhjqxrzcsyw])?)([aeiouv].*)$/.exec(written)
  return match ? [match[1] || 'Ø', match[2]!, symbol] : []
}

const shortened: Readonly<Record<string, string>> = { iou: 'iu', uei: 'ui', uen: 'un' }

/** The inverse of `splitPinyin`. */
function writePinyin(initial: string, final: string): string {
  if (/[jqx]/.test(initial)) return initial + (shortened[final] ?? final.replace(/^v/, 'u'))
  if (initial) return initial + (shortened[final] ?? final)
  if (/^(?:i|in|ing)$/.test(final)) return `y${final}`
  if (final.startsWith('v')) return `yu${final.slice(1)}`
  if (final.startsWith('i')) return `y${final.slice(1)}`
  if (final === 'u') return 'wu'
  return final.startsWith('u') ? `w${final.slice(1)}` : final
}
