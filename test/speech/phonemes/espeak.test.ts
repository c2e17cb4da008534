/** eSpeak NG as a phonemizer, against its own native functions (see test/speech/sherpa for a comparison). */
import { describe, expect, it } from 'bun:test'
import { openEspeak } from '../../../src/speech/espeak/instance'
import { espeakVoices } from '../../../src/speech/espeak/voices'
import { type Clause, loadPhonemizer } from '../../../src/speech/phonemes/espeak'

const phonemizer = await loadPhonemizer()
/** Each clause as `phonemes terminator`, with `$` at a sentence end. */
const read = (clauses: readonly Clause[]) =>
  clauses.map(
    ({ phonemes, terminator, endsSentence }) => phonemes.replaceAll('_', '') + terminator + (endsSentence ? '$' : ''),
  )

describe('the phonemizer', () => {
  it('returns the phonemes and the terminator of each clause', async () => {
    expect(read(await phonemizer.clauses('Hello, world! Is it 3:30? Dr. Smith: yes; no...', 'en-us'))).toEqual([
      'həlˈoʊ,',
      'wˈɜːld!$',
      'ɪz ɪt θɹˈiː θˈɜːɾi?$',
      'dˈɑːktɚ.$',
      'smˈɪθ:',
      'jˈɛs;',
      'nˈoʊ',
    ])
    expect((await phonemizer.clauses('Hello', 'en-us'))[0]!.phonemes).toBe('h_ə_l_ˈoʊ')
  })

  it('ends sentences at marks of full width and blank lines without a mark', async () => {
    const clauses = await phonemizer.clauses('他走了。好，吗？', 'cmn')
    expect(clauses.map(({ terminator, endsSentence }) => [terminator, endsSentence])).toEqual([
      ['', true],
      ['', false],
      ['', true],
    ])
    expect(read(await phonemizer.clauses('One\n\nTwo.\n\nThree', 'en-us'))).toEqual(['wˌʌn$', 'tˈuː$', 'θɹˈiː'])
  })

  it('does not end a clause at the dot of an abbreviation, a number or a Roman ordinal', async () => {
    expect(await phonemizer.clauses('approx. half of 3.5 in the u.s.a. is it', 'en-us')).toHaveLength(1)
    expect(await phonemizer.clauses('Karl V. War da', 'de')).toHaveLength(1)
    expect(await phonemizer.clauses('Karl V. War da', 'en-us')).toHaveLength(2)
  })

  it('keeps the flags of words read in another language', async () => {
    const [clause] = await phonemizer.clauses('我用iPhone', 'cmn')
    expect(clause!.phonemes).toContain('(en)')
    expect(clause!.phonemes).toContain('(cmn)')
  })

  it('reads markup, entities and phonemes in brackets as plain text', async () => {
    const [bold] = await phonemizer.clauses('<b>no</b>', 'en-us')
    expect(bold!.phonemes.replaceAll('_', '')).toContain('bˈiː')
    expect(read(await phonemizer.clauses('a &lt; b', 'en-us'))).toEqual(['ˈeɪɐnd ˌɛltˈiː;', 'bˈiː'])
    expect(read(await phonemizer.clauses('[[kr]]', 'en-us')).join(' ')).not.toBe('kɹ')
  })

  it('returns no clause for an empty text', async () => {
    expect(await phonemizer.clauses('', 'en-us')).toEqual([])
    expect(await phonemizer.clauses('...', 'en-us')).toEqual([])
  })

  it('refuses an unknown voice and keeps working', async () => {
    await expect(phonemizer.clauses('Hello', 'nonsense')).rejects.toThrow('no voice nonsense')
    expect(read(await phonemizer.clauses('Hello', 'en-us'))).toEqual(['həlˈoʊ'])
  })

  it('returns the same clauses after any text and in every instance', async () => {
    const texts: [string, string][] = [
      ["He's at the u.s.a.'I", 'en-us'],
      ['我用iPhone打了三个call。', 'cmn'],
      ['<voice xml:lang="fr">Guten Tag</voice>', 'de'],
      ['Привет, мир', 'ru'],
      ['Hi! A', 'en-us'],
      ['नमस्ते। दुनिया', 'hi'],
      ['مرحبا، العالم ॥', 'ar'],
    ]
    const other = await loadPhonemizer()
    const first = []
    for (const [text, voice] of texts) first.push(await phonemizer.clauses(text, voice))
    for (const [index, [text, voice]] of [...texts.entries()].reverse()) {
      expect(await phonemizer.clauses(text, voice)).toEqual(first[index]!)
      expect(await other.clauses(text, voice)).toEqual(first[index]!)
    }
  })

  it('knows which part of the text each clause is', async () => {
    const clauses = await phonemizer.clauses('One, two.  Three\n\nfour', 'en-us')
    expect(clauses.map(({ text }) => text)).toEqual(['One, ', 'two.  ', 'Three\n\n', 'four'])
  })

  it('cuts a clause beyond eSpeak NG’s limit', async () => {
    const clauses = await phonemizer.clauses('我们在学校里学习中文和英文还有数学'.repeat(17), 'cmn')
    expect(clauses.map(({ text }) => [...text].length)).toEqual([266, 23])
  })
})

describe('the list of voices', () => {
  it('has only voices of eSpeak NG, and all that Piper’s voices use', async () => {
    const { worker } = await openEspeak()
    expect([...espeakVoices].filter((voice) => worker.set_voice(voice) !== 0)).toEqual([])
    const piper =
      'ar bg ca cmn cs cy da de el en-gb-x-rp en-us es es-419 eu fa fi fr hi hu id is it ka kk lb lv ml nb ne nl pl pt ' +
      'pt-br ro ru sk sl sq sr sv sw te tr uk ur vi'
    expect(piper.split(' ').filter((voice) => !espeakVoices.has(voice))).toEqual([])
  })
})
