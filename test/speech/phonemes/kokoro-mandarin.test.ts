import { describe, expect, it } from 'bun:test'
import { type KokoroMandarin, toKokoroMandarin } from '../../../src/speech/phonemes/kokoro-mandarin'
import { toSyllables } from '../../../src/speech/phonemes/pinyin'
import { describeWith } from '../../tools'

async function spell(text: string, version: KokoroMandarin): Promise<string> {
  const pieces = await toKokoroMandarin(text, version, (word) => (word === 'none' ? '' : `<${word}>`))
  return pieces.map(({ symbols }) => symbols).join('')
}

/** One character for each syllable among Unicode's first 20,992 Han characters. */
function everySyllable(): Map<string, string> {
  const found = new Map<string, string>()
  for (let code = 0x4e00; code < 0xa000; code++) {
    const hanzi = String.fromCharCode(code)
    const [syllable] = toSyllables(hanzi)
    if (syllable && !('other' in syllable)) found.set(`${syllable.initial}-${syllable.final}${syllable.tone}`, hanzi)
  }
  return found
}

/** The Mandarin part of v1.0's vocabulary, from its config.json. */
const vocabulary = new Set(';:,.!?—…"()“” abcdefhijklmnopqrstuvwxyzɑɔɕəɚɛɡɥɨɤŋɻʂʊʦʨʰꭧɹ↓→↗↘')

describe('toKokoroMandarin', () => {
  it('matches misaki for v1.0: IPA, tone arrows behind the vowel, separated words', async () => {
    expect(await spell('银行行长，你好！', '1.0')).toBe('i↗nxa↗ŋ xa↗ŋꭧa↓ŋ, ni↓xau↓!')
    expect(await spell('是次日', '1.0')).toBe('ʂɨ↘ ʦʰɨ↘ɻɨ↘')
    expect(await spell('我们的绿色月亮', '1.0')).toBe('wo↓mən tɤ ly↘sɤ↘ ɥe↘ljaŋ')
    expect(await spell('二噢波', '1.0')).toBe('ɚ↘ ɔ→ pwo→')
  })

  it('matches misaki for v1.1-zh: one symbol per initial and final, spoken tones', async () => {
    expect(await spell('你好，一个小孩儿。', '1.1-zh')).toBe('ㄋㄧ2ㄏㄠ3, ㄧ2ㄍㄜ4/ㄒ要3ㄏㄞR2.')
    expect(await spell('资知日歌儿', '1.1-zh')).toBe('ㄗㄭ1/ㄓ十1/ㄖ十4/ㄍㄦ1')
    expect(await spell('女儿用云', '1.1-zh')).toBe('ㄋㄩ3ㄦ2/用4/云2')
  })

  it('converts full-width marks to ASCII', async () => {
    expect(await spell('《好》、好；好：好（好）好？', '1.0')).toBe('“xau↓” , xau↓; xau↓: xau↓ (xau↓) xau↓?')
  })

  it('lets the caller transcribe words in other letters, with spaces around them', async () => {
    expect(await spell('我用iPhone 15打', '1.0')).toBe('wo↓ jʊ↘ŋ <iPhone> <15> ta↓')
    expect(await spell('我用none打', '1.1-zh')).toBe('我3/用4/ㄉㄚ3')
    expect(await spell('OK', '1.1-zh')).toBe('<OK>')
    expect(await spell(' ， ', '1.0')).toBe(',')
    expect(await spell('', '1.0')).toBe('')
  })

  it('maps symbols to words', async () => {
    const pieces = await toKokoroMandarin('我们好。', '1.0', (word) => word)
    expect(pieces).toEqual([
      { symbols: 'wo↓mən', word: '我们' },
      { symbols: ' ', word: '' },
      { symbols: 'xau↓', word: '好' },
      { symbols: '.', word: '' },
    ])
  })

  it('spells every syllable there is', async () => {
    const syllables = everySyllable()
    expect(new Set([...syllables.keys()].map((key) => key.slice(0, -1))).size).toBeGreaterThan(400)
    const spellings = new Map<string, string>()
    for (const [key, hanzi] of syllables) {
      const ipa = await spell(hanzi, '1.0')
      const bopomofo = await spell(hanzi, '1.1-zh')
      expect(`${key} ${ipa}`).not.toContain('undefined')
      expect(bopomofo, key).toMatch(
        /^[ㄅ-ㄙ]?[ㄚ-ㄩㄭ十月压言阳要阴应用又中穵外万王为文瓮我元云]{1,2}[1-5]$|^ㄏ?ㄇ[1-5]$/u,
      )
      for (const symbol of ipa) expect(vocabulary.has(symbol), `${key}: ${symbol}`).toBeTrue()
      expect(ipa, key).toMatch(/^[a-zɤəɛŋɻɕʂʦʨʰꭧʊɥɔɨɚ]+[→↗↓↘]?[nŋ]?$/u)
      // Different syllables have different spellings.
      spellings.set(bopomofo, (spellings.get(bopomofo) ?? '') + key)
    }
    const shared = [...spellings.values()].filter((keys) => keys.split(/(?<=\d)/).length > 1)
    expect(
      shared.every((keys) => /-(?:n|ng|ê)\d/.test(keys)),
      shared.join(' '),
    ).toBeTrue()
  })
})

const config = '/work/shared/models/kokoro-voices/config.json'
describeWith(config, 'the vocabulary of Kokoro v1.0', () => {
  it('has all symbols of Mandarin', async () => {
    const { vocab } = (await Bun.file(config).json()) as { vocab: Record<string, number> }
    expect([...vocabulary].filter((symbol) => !(symbol in vocab))).toEqual([])
  })
})
