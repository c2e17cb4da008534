/** The choice of the form of a model's convolutions, from the time and the sound of each. */
import { describe, expect, it } from 'bun:test'
import { chooseForm, fastestForm, type Heard } from '../../src/packs/choose-form'
import type { ConvolutionForm } from '../../src/speech/voice'

const sound = Float32Array.of(0.1, 0.2, 0.3)
const heard = (form: ConvolutionForm, seconds: number, samples = sound): Heard => ({ form, seconds, samples })

describe('the form of convolutions', () => {
  it('is the fastest', () => {
    const exported = heard('as_exported', 2)
    expect(fastestForm([exported, heard('unsigned_products', 1.5), heard('signed_products', 1)])).toBe(
      'signed_products',
    )
    expect(fastestForm([exported, heard('unsigned_products', 0.9), heard('signed_products', 1)])).toBe(
      'unsigned_products',
    )
    expect(fastestForm([exported, heard('two_dimensional', 1.8)])).toBe('two_dimensional')
  })

  it('is that of the file when others are not clearly faster', () => {
    const exported = heard('as_exported', 2)
    expect(fastestForm([exported, heard('two_dimensional', 1.97)])).toBe('as_exported')
    expect(fastestForm([exported, heard('two_dimensional', 3)])).toBe('as_exported')
    expect(fastestForm([exported])).toBe('as_exported')
  })

  it('is not that of signed products where the processor saturates them', () => {
    const signed = heard('signed_products', 0.5, Float32Array.of(0.1, 0.2, 0.31))
    expect(fastestForm([heard('as_exported', 2), heard('unsigned_products', 1), signed])).toBe('unsigned_products')
    expect(fastestForm([heard('as_exported', 2), heard('unsigned_products', 3), signed])).toBe('as_exported')
    const short = heard('signed_products', 0.5, sound.subarray(1))
    expect(fastestForm([heard('as_exported', 2), heard('unsigned_products', 1), short])).toBe('unsigned_products')
  })
})

describe('the choice', () => {
  const text = 'The train to the sea was late again.'

  /** Seconds of processor time for each letter by form; `disturbed`: what other programs add to each run, in turn. */
  async function choose(perLetter: Partial<Record<ConvolutionForm, number>>, disturbed: readonly number[] = []) {
    let seconds = 0
    const runs: { form: ConvolutionForm; words: string }[] = []
    const [, ...others] = Object.keys(perLetter) as ConvolutionForm[]
    const load = async (form: ConvolutionForm) => async (words: string) => {
      seconds += words.length * perLetter[form]! + (disturbed[runs.length] ?? 0)
      runs.push({ form, words })
      return sound
    }
    return { form: await chooseForm(others, text, load, () => seconds), runs }
  }

  it('is made with enough words: in one short word chance would decide', async () => {
    // A word of 30 ms.
    const { form, runs } = await choose({ as_exported: 0.0107, two_dimensional: 0.01 })
    expect(form).toBe('two_dimensional')
    expect(runs.map(({ words }) => words).slice(0, 3)).toEqual(['The', 'The', 'The train to'])
    // Seven per cent in each of three rounds are enough.
    expect(runs).toHaveLength(2 + 3 * 2)
  })

  it('is made by one word of a slow model, and gives up slow forms first', async () => {
    const { form, runs } = await choose({ as_exported: 0.4, unsigned_products: 0.22, signed_products: 0.12 })
    expect(form).toBe('signed_products')
    expect(runs.map(({ words }) => words)).toEqual(Array(6).fill('The'))
  })

  it('is not changed by other programs that disturb some of the runs', async () => {
    for (let disturbedRound = 0; disturbedRound < 4; disturbedRound++)
      for (const index of [0, 1]) {
        const disturbed = Array.from({ length: 20 }, (_, run) =>
          run === 2 + 2 * disturbedRound + index || run === 3 + 2 * disturbedRound + index ? 0.5 : 0.001 * (run % 3),
        )
        expect((await choose({ as_exported: 0.011, two_dimensional: 0.01 }, disturbed)).form).toBe('two_dimensional')
        expect((await choose({ as_exported: 0.01, two_dimensional: 0.011 }, disturbed)).form).toBe('as_exported')
      }
  })

  it('is that of the file after all rounds when the forms are alike', async () => {
    const { form, runs } = await choose({ as_exported: 0.01, two_dimensional: 0.0099 })
    expect(form).toBe('as_exported')
    expect(runs).toHaveLength(2 + 8 * 2)
    for (const name of ['as_exported', 'two_dimensional'])
      expect(runs.filter((run) => run.form === name)).toHaveLength(9)
  })
})
