/** Unknown fields of a speech request: misspelt fields are refused, others ignored. */
import { describe, expect, it } from 'bun:test'
import { findMistakenField, isOneEditAway, refuseMistakenFields } from '../../src/http/mistaken-field'
import { speakFieldNames } from '../../src/http/tts'

const mistakeIn = (fields: Record<string, unknown>) => findMistakenField(fields, speakFieldNames)

describe('an unknown field', () => {
  it.each([
    ['voice', 'voice_id'],
    ['Voice', 'voice_id'],
    ['input', 'text'],
    ['rate', 'speed'],
    ['response_format', 'format'],
    ['responseFormat', 'format'],
    ['voiceId', 'voice_id'],
    ['voice-id', 'voice_id'],
    ['voiceid', 'voice_id'],
    ['voce_id', 'voice_id'],
    ['voice_ids', 'voice_id'],
    ['vioce_id', 'voice_id'],
    ['voice_di', 'voice_id'],
    ['spede', 'speed'],
    ['sped', 'speed'],
    ['speeed', 'speed'],
    ['SPEED', 'speed'],
    ['fromat', 'format'],
    ['formats', 'format'],
    ['txet', 'text'],
    ['texts', 'text'],
  ])('%s is refused as a mistake for %s', (found, meant) => {
    expect(mistakeIn({ [found]: 'x' })).toEqual({ found, meant })
    expect(() => refuseMistakenFields({ [found]: null }, speakFieldNames)).toThrow(
      `${found}: there is no such field; did you mean ${meant}?`,
    )
  })

  it.each(['seed', 'captions', 'lexicon', 'markup', 'model', 'stream', 'language', 'voiced', 'name', 'user', 'pitch'])(
    '%s is ignored',
    (name) => expect(mistakeIn({ [name]: 'x' })).toBeUndefined(),
  )

  it('is ignored beside the field that it resembles', () => {
    expect(mistakeIn({ text: 'Hi.', test: true, next: 1, voice_id: 'en-ross', voice_ids: [] })).toBeUndefined()
  })

  it('is refused as a synonym with another value, and ignored with the same', () => {
    const both = { text: 'Hi.', voice_id: 'en-ross', voice: 'zh-mei' }
    expect(mistakeIn(both)).toEqual({ found: 'voice', meant: 'voice_id' })
    expect(mistakeIn({ ...both, voice: 'en-ross', input: 'Hi.', rate: 1, speed: 1 })).toBeUndefined()
  })

  it('is refused beside that field when its value counts as omitted', () => {
    for (const voice_id of [null, ''])
      expect(mistakeIn({ text: 'Hi.', voice_id, voice: 'zh-mei' })).toEqual({ found: 'voice', meant: 'voice_id' })
  })

  it('may have any name: empty, long, or a property of every object', () => {
    const names = ['', ' ', '_', 'x'.repeat(1e6), '__proto__', 'constructor', 'toString']
    for (const name of names) expect(mistakeIn(JSON.parse(`{${JSON.stringify(name)}:1}`))).toBeUndefined()
  })
})

describe('one edit', () => {
  it('is an insertion, a deletion, a replacement or a swap of neighbours, anywhere', () => {
    const letters = 'abcdefg'
    for (let i = 0; i <= letters.length; i++) {
      const [before, after] = [letters.slice(0, i), letters.slice(i)]
      expect(isOneEditAway(letters, `${before}x${after}`)).toBe(true)
      expect(isOneEditAway(`${before}x${after}`, letters)).toBe(true)
      if (after) expect(isOneEditAway(letters, `${before}x${after.slice(1)}`)).toBe(true)
      if (after.length > 1) expect(isOneEditAway(letters, before + after[1] + after[0] + after.slice(2))).toBe(true)
    }
  })

  it('is not two of them, and not none', () => {
    for (const other of ['text', 'tx', 'texted', 'ettx', 'xtte', 'tetx2', 'taat', ''])
      expect(isOneEditAway('text', other)).toBe(false)
    expect(isOneEditAway('', '')).toBe(false)
    expect(isOneEditAway('aa', 'aaa')).toBe(true)
    expect(isOneEditAway('abab', 'baba')).toBe(false)
  })
})
