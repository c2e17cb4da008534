/** The input of Piper voices, rule by rule; test/speech/sherpa compares it with an independent implementation. */
import { describe, expect, it } from 'bun:test'
import { type Clause, loadPhonemizer, type Phonemizer } from '../../../src/speech/phonemes/espeak'
import { type PiperAlphabet, readPiper } from '../../../src/speech/phonemes/piper'

const symbols = ['_', '^', '$', ' ', ',', '.', '?', ';', 'a', 'b', 'c', 'i', 'k', 'ˈ', '\u0303', 'ai', 'aib']
const ids = new Map(symbols.map((symbol, id) => [symbol, [id]]))
const alphabet: PiperAlphabet = {
  phonemeType: 'espeak',
  espeakVoice: 'en-us',
  ids,
  replacements: new Map(),
  vowelClusters: [],
}

const clause = (phonemes: string, terminator: Clause['terminator'] = '', endsSentence = false, text = ''): Clause => {
  return { phonemes, terminator, endsSentence, text }
}
/** The tokens of these clauses, by their ids, without the pads. */
async function read(clauses: Clause[], changes: Partial<PiperAlphabet> = {}): Promise<string[][]> {
  const phonemizer: Phonemizer = { clauses: async () => clauses }
  const used = { ...alphabet, ...changes }
  const names = new Map([...used.ids].map(([symbol, [id]]) => [id, symbol]))
  const runs = await readPiper('', used, async () => phonemizer)
  return runs.map((run) => run.ids.map((id) => names.get(id)!).filter((symbol) => symbol !== '_'))
}

describe('sentences for Piper', () => {
  it('have a pad behind everything except the end', async () => {
    const [run] = await readPiper('', alphabet, async () => ({ clauses: async () => [clause('a_b', '.', true)] }))
    expect(run!.ids).toEqual([1, 0, 8, 0, 9, 0, 5, 0, 2])
  })

  it('are clauses up to a sentence end, with a space behind inner marks', async () => {
    const clauses = [clause('a', ','), clause('b', '.', true), clause('c', ';'), clause('a', '?', true), clause('b')]
    expect(await read(clauses)).toEqual([
      ['^', 'a', ',', ' ', 'b', '.', '$'],
      ['^', 'c', ';', ' ', 'a', '?', '$'],
      ['^', 'b', '$'],
    ])
  })

  it('lose language flags, keep their spaces, and are decomposed', async () => {
    expect(await read([clause('a_(en)_b_ c_(cmn)_  ã', '', true)])).toEqual([
      ['^', 'a', 'b', ' ', 'c', ' ', ' ', 'a', '\u0303', '$'],
    ])
  })

  it('drop unknown phonemes, and are dropped when empty', async () => {
    expect(await read([clause('aʒb', '.', true), clause('', '', true), clause('ʒ', '', true)])).toEqual([
      ['^', 'a', 'b', '.', '$'],
    ])
  })

  it('have all ids of a phoneme before its pad', async () => {
    const several = new Map([...ids, ['a', [8, 9]]])
    const [run] = await readPiper('', { ...alphabet, ids: several }, async () => ({
      clauses: async () => [clause('a')],
    }))
    expect(run!.ids).toEqual([1, 0, 8, 9, 0, 2])
  })

  it('merge the longest vowel clusters, except in text without a final mark, as in Piper', async () => {
    const vowelClusters = [
      ['a', 'i'],
      ['a', 'i', 'b'],
    ]
    const clauses = [clause('a_i_a_i_b_a', ','), clause('a_i', '.', true), clause('a_i')]
    expect(await read(clauses, { vowelClusters })).toEqual([
      ['^', 'ai', 'aib', 'a', ',', ' ', 'ai', '.', '$'],
      ['^', 'a', 'i', '$'],
    ])
  })

  it('apply the phoneme replacements of the configuration', async () => {
    const replacements = new Map([
      ['c', ['k', 'a']],
      ['b', []],
    ])
    expect(await read([clause('a_c_b', '.', true)], { replacements })).toEqual([['^', 'a', 'k', 'a', '.', '$']])
  })

  it('are one sequence of code points for a voice that reads letters', async () => {
    const never = async (): Promise<Phonemizer> => {
      throw new Error('eSpeak NG was asked for')
    }
    const [run, ...more] = await readPiper('ab. cã', { ...alphabet, phonemeType: 'text' }, never)
    expect(run!.ids.filter((id) => id !== 0)).toEqual([1, 8, 9, 5, 3, 10, 8, 14, 2])
    expect(more).toEqual([])
  })

  it('map ids to words', async () => {
    const phonemizer = loadPhonemizer()
    const { phoneme_id_map: map } = (await import('../sherpa/map.json')).default
    const full = { ...alphabet, ids: new Map<string, number[]>(Object.entries(map)) }
    const [run] = await readPiper('Hello there, world.', full, () => phonemizer)
    const spelled = new Map([...full.ids].map(([symbol, [id]]) => [id!, symbol]))
    const said = run!.clauses.map(({ text, sounds }) => [
      text.trim(),
      ...sounds.map(({ phonemes, start, end }) => {
        expect(
          run!.ids
            .slice(start, end)
            .filter((id) => id !== 0)
            .map((id) => spelled.get(id))
            .join(''),
        ).toBe(phonemes)
        return phonemes
      }),
    ])
    expect(said).toEqual([
      ['Hello there,', 'həlˈoʊ', 'ðˈɛɹ'],
      ['world.', 'wˈɜːld'],
    ])
  })
})
