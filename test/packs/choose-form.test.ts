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

  it('is chosen among the forms of the file and all others', async () => {
    const opened: ConvolutionForm[] = []
    const spoken = new Set<ConvolutionForm>()
    const form = await chooseForm(['two_dimensional'], async (one) => {
      opened.push(one)
      return async () => {
        spoken.add(one)
        return sound
      }
    })
    expect(opened).toEqual(['as_exported', 'two_dimensional'])
    expect([...spoken]).toEqual(opened)
    expect(opened).toContain(form)
  })
})
