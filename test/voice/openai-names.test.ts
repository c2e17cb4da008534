/** OpenAI's names of voices. */
import { describe, expect, it } from 'bun:test'
import { openAiNames, voiceIdOf } from '../../src/voice/openai-names'

const find = (name: string, list: string[], others: string[] = []) =>
  voiceIdOf(name, { isVoice: (id) => [...list, ...others].includes(id), list: () => list })

describe("a name of OpenAI's", () => {
  it('stands for the voice at its place, and the names wrap around', () => {
    const list = ['a', 'b', 'c']
    expect(openAiNames.map((name) => find(name, list)).join('')).toBe('abcabcabcabca')
    expect(openAiNames).toHaveLength(13)
  })

  it('stands for itself when a voice has it as its id', () => {
    expect(find('echo', ['a', 'echo'])).toBe('echo')
    expect(find('echo', ['a'], ['echo'])).toBe('echo')
  })

  it('stands for none in an empty list', () => {
    expect(find('alloy', [])).toBeUndefined()
  })

  it('is written exactly; every other name is an id', () => {
    for (const name of ['Alloy', 'en-ross', 'cv-0']) expect(find(name, ['a'])).toBe(name)
  })
})
