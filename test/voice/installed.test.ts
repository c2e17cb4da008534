/** Voices of installed packs in the catalogue and in the plans, also after their removal. */
import { beforeEach, describe, expect, it } from 'bun:test'
import { createGroup, listGroups, updateGroup, updateVoice } from '../../src/admin/voices'
import { openDatabase, type Database } from '../../src/db/database'
import { demoName, readCatalogue, type Catalogue } from '../../src/voice/catalogue'
import { createPlans, type Plans } from '../../src/voice/plans'
import { voicePack } from './packs'

let catalogue: Catalogue
let db: Database
let plans: Plans
beforeEach(() => {
  catalogue = readCatalogue([], null)
  db = openDatabase(':memory:')
  plans = createPlans(db, catalogue)
})

const admin = () => ({ db, catalogue, actor: 'test', refusesLockOut: false, nowMs: Date.now })
const lessac = (version = '1') => voicePack('lessac', ['en-gb-lessac'], { version })
const installedIds = () => catalogue.voices.slice(catalogue.builtIn.length).map(({ id }) => id)

describe('an installed pack', () => {
  it('adds its voices after the built-in ones, in the order of the packs', () => {
    catalogue.install([voicePack('b', ['b-1', 'b-2']), voicePack('a', ['a-1'])])
    expect(installedIds()).toEqual(['b-1', 'b-2', 'a-1'])
    expect(catalogue.voices[0]!.id).toBe('en-ross')
    expect(catalogue.find('b-2')).toMatchObject({
      engine: 'piper',
      language: 'en-GB',
      gender: null,
      sampleRate: 22_050,
      settings: { speaker: 1 },
      model: { directory: '/srv/voices/b', version: '1' },
      deterministic: true,
    })
  })

  it('gives a voice the demo sentence of its language, English where there is none', () => {
    catalogue.install([voicePack('a', ['a'], { language: 'zh-CN' }), voicePack('b', ['b'], { language: 'yo' })])
    expect(catalogue.find('a')!.demo).toBe(catalogue.cloneDemo('zh'))
    expect(catalogue.find('b')!.demo).toBe(catalogue.cloneDemo('en'))
  })

  it('states whether the same request may give different bytes', () => {
    catalogue.install([voicePack('a', ['a'], { deterministic: false })])
    expect(catalogue.find('a')!.deterministic).toBe(false)
  })

  it('brings no voices when it is a converter', () => {
    catalogue.install([voicePack('openvoice', [], { family: 'converter' })])
    expect(catalogue.voices).toEqual(catalogue.builtIn)
  })

  it('has fallback voices of its own gender, female ones where the gender is unknown', () => {
    const genders = [null, 'female', 'male'] as const
    catalogue.install(genders.map((gender) => voicePack(`p-${gender}`, [`v-${gender}`], { gender })))
    const fallbacks = genders.map((gender) => catalogue.fallbackVoiceFor(catalogue.find(`v-${gender}`)!, 'Hani').gender)
    expect(fallbacks).toEqual(['female', 'female', 'male'])
  })

  it('gets another demo name with another model, but not with another directory', () => {
    const nameWith = (pack: ReturnType<typeof voicePack>) => {
      catalogue.install([pack])
      return demoName(catalogue.find('en-gb-lessac')!, undefined)
    }
    const first = nameWith(lessac())
    expect(nameWith({ ...lessac(), model: { ...lessac().model, directory: '/elsewhere/lessac' } })).toBe(first)
    expect(nameWith(lessac('2'))).not.toBe(first)
  })

  it('disappears with its voices and comes back with them', () => {
    catalogue.install([lessac()])
    catalogue.install([])
    expect(catalogue.find('en-gb-lessac')).toBeUndefined()
    expect(catalogue.voices).toEqual(catalogue.builtIn)
    catalogue.install([lessac()])
    expect(installedIds()).toEqual(['en-gb-lessac'])
  })
})

describe('plans', () => {
  it('follow the catalogue at once', () => {
    const ids = () => plans.listFor(null).map(({ voice }) => voice.id)
    const before = ids()
    catalogue.install([lessac()])
    expect(ids()).toEqual([...before, 'en-gb-lessac'])
    expect(plans.choose(null, 'en-gb-lessac').engine).toBe('piper')
    expect(plans.listAll().at(-1)!.voice.id).toBe('en-gb-lessac')
    catalogue.install([])
    expect(ids()).toEqual(before)
    expect(() => plans.choose(null, 'en-gb-lessac')).toThrow('there is no voice "en-gb-lessac"')
  })

  it('use the pack that is installed now, not the one before', () => {
    catalogue.install([lessac()])
    plans.listFor(null)
    catalogue.install([lessac('2')])
    expect(plans.choose(null, 'en-gb-lessac').model!.version).toBe('2')
  })

  it('never make an installed voice the default without a setting', () => {
    catalogue.install([lessac()])
    expect(plans.choose(null, undefined).id).toBe('en-ross')
  })

  it('keep the settings and groups of a voice while its pack is missing', () => {
    catalogue.install([lessac()])
    updateVoice(admin(), 'en-gb-lessac', { featured: true, display_name: 'Lesley' })
    const { id } = createGroup(admin(), { name: 'gold', voices: ['en-gb-lessac', 'en-ross'] })
    catalogue.install([])
    expect(plans.listFor(id).map(({ voice }) => voice.id)).toEqual(['en-ross'])
    expect(() => updateVoice(admin(), 'en-gb-lessac', { active: false })).toThrow('There is no voice')
    updateGroup(admin(), id, { voices: ['en-gb-lessac', 'en-clara'] })
    expect(() => createGroup(admin(), { name: 'tin', voices: ['en-gb-lessac'] })).toThrow('there is no voice')
    expect(listGroups(admin()).items).toHaveLength(1)
    catalogue.install([lessac()])
    expect(plans.listFor(id).map(({ voice, displayName }) => [voice.id, displayName])).toEqual([
      ['en-gb-lessac', 'Lesley'],
      ['en-clara', 'Clara'],
    ])
  })
})

describe('the provider of an installed voice', () => {
  it('is the one set for it, for its whole model, until it is cleared', () => {
    catalogue.install([voicePack('a', ['a-1', 'a-2']), voicePack('b', ['b-1'])])
    expect(plans.providerOf('/srv/voices/a')).toBeUndefined()
    expect(updateVoice(admin(), 'a-2', { provider: 'cpu' })).toMatchObject({ id: 'a-2', provider: 'cpu' })
    expect([plans.providerOf('/srv/voices/a'), plans.providerOf('/srv/voices/b')]).toEqual(['cpu', undefined])
    updateVoice(admin(), 'a-2', { featured: true })
    expect(plans.providerOf('/srv/voices/a')).toBe('cpu')
    updateVoice(admin(), 'a-2', { provider: 'auto' })
    expect(plans.providerOf('/srv/voices/a')).toBe('auto')
    expect(updateVoice(admin(), 'a-2', { provider: null })).toMatchObject({ provider: null })
    expect(plans.providerOf('/srv/voices/a')).toBeUndefined()
  })

  it('cannot be set for a built-in voice or to an unknown name', () => {
    catalogue.install([voicePack('a', ['a-1'])])
    expect(() => updateVoice(admin(), 'en-ross', { provider: 'cpu' })).toThrow('provider')
    expect(() => updateVoice(admin(), 'a-1', { provider: 'tpu' })).toThrow('"tpu"')
  })
})
