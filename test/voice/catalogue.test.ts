import { describe, expect, it } from 'bun:test'
import { baseLanguage } from '../../src/speech/text/script'
import { demoName, readCatalogue } from '../../src/voice/catalogue'

const catalogue = readCatalogue()

describe('the catalogue', () => {
  it('has a companion of the same gender for the scripts of the common languages', () => {
    for (const [script, language] of [
      ['Latn', 'en'],
      ['Hani', 'zh'],
      ['Cyrl', 'ru'],
      ['Arab', 'ar'],
      ['Deva', 'hi'],
    ])
      for (const id of ['en-ross', 'en-clara']) {
        const voice = catalogue.find(id)!
        const companion = catalogue.companionFor(voice, script!)
        expect([baseLanguage(companion.language), companion.gender]).toEqual([language!, voice.gender])
      }
  })

  it('has someone for a script that no voice reads, who names its letters', () => {
    const companion = catalogue.companionFor(catalogue.voices[0]!, 'Zzzz')
    expect([companion.engine, companion.language]).toEqual(['espeak', 'und'])
  })

  it('does not list the voices that only stand in', () => {
    expect(catalogue.find('script-any')).toBeUndefined()
    expect(catalogue.voices.every(({ demo, displayName }) => demo.length > 10 && displayName.length > 1)).toBe(true)
  })
})

describe('the name of a demo', () => {
  const voice = catalogue.voices[0]!

  it('changes with all that the sound is made from', () => {
    const names = [
      demoName(voice, undefined),
      demoName(voice, 44_100),
      demoName({ ...voice, demo: `${voice.demo} More.` }, undefined),
      demoName({ ...voice, settings: { voice: 'slt' } }, undefined),
    ]
    expect(new Set(names).size).toBe(4)
    for (const name of names) expect(name).toMatch(/^demos\/en-ross-[0-9a-f]{16}\.mp3$/)
  })

  it('does not change with the name or description of the voice', () => {
    expect(demoName({ ...voice, displayName: 'Rosalind', description: null }, undefined)).toBe(
      demoName(voice, undefined),
    )
  })
})
