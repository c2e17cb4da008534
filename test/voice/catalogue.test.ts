import { describe, expect, it } from 'bun:test'
import { baseLanguage } from '../../src/language'
import { demoName, readCatalogue } from '../../src/voice/catalogue'

const catalogue = readCatalogue()

describe('the catalogue', () => {
  it('has a fallback voice of the same gender for the scripts of the common languages', () => {
    for (const [script, language] of [
      ['Latn', 'en'],
      ['Hani', 'zh'],
      ['Cyrl', 'ru'],
      ['Arab', 'ar'],
      ['Deva', 'hi'],
    ])
      for (const id of ['en-ross', 'en-clara']) {
        const voice = catalogue.find(id)!
        const fallback = catalogue.fallbackVoiceFor(voice, script!)
        expect([baseLanguage(fallback.language), fallback.gender]).toEqual([language!, voice.gender])
      }
  })

  it('has a fallback voice for a script that no voice reads, which names its letters', () => {
    const fallback = catalogue.fallbackVoiceFor(catalogue.voices[0]!, 'Zzzz')
    expect([fallback.engine, fallback.language]).toEqual(['espeak', 'und'])
  })

  it('does not list fallback voices', () => {
    expect(catalogue.find('script-any')).toBeUndefined()
    expect(catalogue.voices.every(({ demo, displayName }) => demo.length > 10 && displayName.length > 1)).toBe(true)
  })
})

describe('an adapted built-in voice', () => {
  it('has an adaptation, and other voices have none', () => {
    expect(catalogue.find('en-owen')!.adaptation).toMatchObject({ pitch: { toHz: 127 }, tractRatio: 1.1 })
    expect(Object.keys(catalogue.find('en-ross')!)).not.toContain('adaptation')
  })

  it('is never a fallback voice', () => {
    const scripts = ['Latn', 'Hani', 'Cyrl', 'Arab', 'Deva', 'Grek', 'Hang', 'Zzzz']
    for (const voice of catalogue.voices)
      for (const script of scripts) expect(catalogue.fallbackVoiceFor(voice, script).adaptation).toBeUndefined()
  })

  it('comes after all others in the list', () => {
    const isAdapted = catalogue.voices.map(({ adaptation }) => adaptation !== undefined)
    expect(isAdapted).toEqual(isAdapted.toSorted((a, b) => Number(a) - Number(b)))
    expect(isAdapted).toContain(true)
  })
})

describe('the name of a demo', () => {
  const voice = catalogue.find('en-ross')!
  const adaptation = catalogue.find('en-owen')!.adaptation!

  it('changes with every input of the sound', () => {
    const names = [
      demoName(voice, undefined),
      demoName(voice, 44_100),
      demoName({ ...voice, demo: `${voice.demo} More.` }, undefined),
      demoName({ ...voice, settings: { voice: 'slt' } }, undefined),
      demoName({ ...voice, adaptation }, undefined),
      demoName({ ...voice, assetVersion: '1' }, undefined),
      demoName({ ...voice, adaptation: { ...adaptation, tractRatio: 1.09 } }, undefined),
    ]
    expect(new Set(names).size).toBe(names.length)
    for (const name of names) expect(name).toMatch(/^demos\/en-ross-[0-9a-f]{16}\.mp3$/)
  })

  it('does not change with the name or description of the voice', () => {
    expect(demoName({ ...voice, displayName: 'Rosalind', description: null }, undefined)).toBe(
      demoName(voice, undefined),
    )
  })
})
