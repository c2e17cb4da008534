import { beforeAll, describe, expect, it } from 'bun:test'
import { loadPhonemizer, type Phonemizer } from '../../../src/speech/phonemes/espeak'
import { splitAtMarks } from '../../../src/speech/phonemes/marks'
import { toMisaki } from '../../../src/speech/phonemes/misaki'
import { pairWords } from '../../../src/speech/phonemes/pair-words'
import { speak } from '../../../src/speech/phonemes/spoken'
import { cpuSeconds } from '../../cpu-seconds'

describe('text at its marks', () => {
  it('is split at marks with their spaces, without loss', () => {
    const text = 'Hello, world! (Yes.) "No" — now; so… end.'
    const sections = splitAtMarks(text)
    expect(sections.map((section) => section.text).join('')).toBe(text)
    expect(sections.filter(({ kind }) => kind === 'words').map((section) => section.text)).toEqual([
      'Hello',
      'world',
      'Yes',
      'No',
      'now',
      'so',
      'end',
    ])
  })

  it('is not split inside numbers, times and abbreviations', () => {
    expect(splitAtMarks('3.5 at 3:30 for 1,000 e.g. me')).toEqual([
      { text: '3.5 at 3:30 for 1,000 e.g', kind: 'words' },
      { text: '. ', kind: 'marks' },
      { text: 'me', kind: 'words' },
    ])
  })

  it('is split in linear time for long runs of marks and spaces', async () => {
    const text = `${' '.repeat(20_000)}x${'?! '.repeat(20_000)}`
    const split = () => expect(splitAtMarks(text.trim())).toHaveLength(2)
    expect(await cpuSeconds(split)).toBeLessThan(0.4)
  })
})

describe('phonemes of eSpeak NG in the alphabet of misaki', () => {
  // Each is a rule of misaki/espeak.py, applied to eSpeak NG's word.
  it.each([
    ['f_ˈaɪɚ', 'fˈIəɹ', 'a diphthong inside a phoneme of three letters'],
    ['h_ˈaʊ_s', 'hˈWs', 'aʊ'],
    ['dʒ_ˈʌ_dʒ', 'ʤˈʌʤ', 'dʒ'],
    ['p_l_ˈeɪ', 'plˈA', 'eɪ'],
    ['tʃ_ˈɜː_tʃ', 'ʧˈɜɹʧ', 'tʃ, and a long vowel with an r'],
    ['ˈɔɪ_l', 'ˈYl', 'ɔɪ'],
    ['ɡ_ˌoʊ', 'ɡˌO', 'oʊ'],
    ['l_ˈɪ_ɾ_əl', 'lˈɪTᵊl', 'a tap and əl'],
    ['b_ˈʌ_ʔ_n̩', 'bˈʌtn', 'a glottal stop before a syllabic n'],
    ['ɹ_ˈɪ_ð_m̩', 'ɹˈɪðᵊm', 'another syllabic consonant'],
    ['f_ˈɜː_ɹ_i', 'fˈɜɹi', 'ɜːɹ'],
    ['ð_ə_t_ʃ', 'ðətʃ', 'two phonemes that look like one stay separate'],
    ['f_ˈaɪɚ_ɹ', 'fˈIəɹ', 'a linking r after ɚ'],
    ['b_ɹ_ˈuː_ɪ_ŋ', 'bɹˈuɪŋ', 'length marks are dropped'],
  ])('American %s is %s: %s', (espeak, misaki) => {
    expect(toMisaki(espeak, 'american')).toBe(misaki)
  })

  it.each([
    ['tʃ_ˈeə', 'ʧˈɛː', 'eə'],
    ['n_ˈiə', 'nˈɪə', 'iə'],
    ['h_ˈəʊ_m', 'hˈQm', 'əʊ'],
    ['n_ˈɜː_s', 'nˈɜːs', 'length marks stay'],
    ['b_ˈɒ_t_əl', 'bˈɒtᵊl', 'əl'],
  ])('British %s is %s: %s', (espeak, misaki) => {
    expect(toMisaki(espeak, 'british')).toBe(misaki)
  })

  it.each([
    ['p_ˈi_tsː_a_', 'pˈiʦːa'],
    ['tʃ_o_ɾ_ˈi_θ_o', 'ʧoɾˈiθo'],
    ['v_ˈɛ̃', 'vˈɛ̃'],
    ['w_ˈe_-_k', 'wˈek'],
  ])('of other languages %s is %s', (espeak, misaki) => {
    expect(toMisaki(espeak, 'other')).toBe(misaki)
  })

  it('keeps the IPA almost unchanged for Kokoro v0.19', () => {
    expect(toMisaki('f_ˈaɪɚ_ɹ', 'ipa')).toBe('fˈaɪɚɹ')
    expect(toMisaki('r_ˈʲa_x', 'ipa')).toBe('ɹˈjak')
  })
})

describe('the tokens of a text', () => {
  let phonemizer: Phonemizer
  beforeAll(async () => {
    phonemizer = await loadPhonemizer()
  })
  const spelling = {
    voice: 'en-us',
    spell: (word: string) => toMisaki(word, 'american'),
    spellMarks: (marks: string) => marks,
  }

  it('keep the marks in place and have the index of their word', async () => {
    const { tokens, words } = await speak(phonemizer, 'Go home, now!', spelling)
    expect(tokens.map(({ text }) => text).join('')).toBe('ɡˌO hˈOm, nˈW!')
    expect(words).toEqual(['Go', 'home', 'now'])
    const of = (word: number) => tokens.filter((symbol) => symbol.word === word).map(({ text }) => text)
    expect([of(0), of(1), of(2), of(-1)].map((all) => all.join(''))).toEqual(['ɡˌO', 'hˈOm', 'nˈW', ' , !'])
  })

  it('keep words together that eSpeak NG merges', async () => {
    const { tokens, words } = await speak(phonemizer, 'a house of the town', spelling)
    expect(tokens.map(({ text }) => text).join('')).toBe('ə hˈWs ʌvðə tˈWn')
    expect(words).toEqual(['a', 'house', 'of the', 'town'])
  })

  it('have no language flags', async () => {
    const spoken = await speak(phonemizer, 'नमस्ते weekend', { ...spelling, voice: 'hi' })
    expect(spoken.tokens.map(({ text }) => text).join('')).not.toMatch(/[()]|en|hi/)
  })
})

describe('words of a text and of a phonemizer', () => {
  it('are paired when one of them has more', () => {
    expect(pairWords(['in', 'the', 'morning'], ['ɪnðə', 'mˈɔɹnɪŋ'])).toEqual([
      { text: 'in the', sounds: ['ɪnðə'] },
      { text: 'morning', sounds: ['mˈɔɹnɪŋ'] },
    ])
    expect(pairWords(['the', 'fox', 'of', 'the'], ['ðə', 'fˈɑks', 'ʌvðə']).map(({ text }) => text)).toEqual([
      'the',
      'fox',
      'of the',
    ])
    expect(pairWords(['at', '3:30'], ['æt', 'θɹˈi', 'θˈɜɹTi'])).toEqual([
      { text: 'at', sounds: ['æt'] },
      { text: '3:30', sounds: ['θɹˈi', 'θˈɜɹTi'] },
    ])
  })

  it('are all paired, however uneven they are', () => {
    const sounds = Array.from({ length: 40 }, (_, i) => `s${i}`)
    expect(pairWords(['1234567890123456789012345'], sounds).flatMap((group) => group.sounds)).toEqual(sounds)
    expect(pairWords(['a', 'b', 'c'], [])).toEqual([])
  })
})
