/** The order of the built-in voices in new and older data directories, and the default voice that a build may lack. */
import { afterAll, describe, expect, it } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { moveVoice } from '../../src/admin/voice-order'
import { createGroup, updateVoice } from '../../src/admin/voices'
import { openDatabase, type Database } from '../../src/db/database'
import { readCatalogue } from '../../src/voice/catalogue'
import { explainDefault } from '../../src/voice/default-voice'
import { readOrder, rememberOrder } from '../../src/voice/order'
import { createPlans, readAllSettings } from '../../src/voice/plans'
import { writeOldFixture } from '../old-fixture'
import { voicePack } from './packs'

const directory = await mkdtemp(join(tmpdir(), 'sonant-order-'))
afterAll(() => rm(directory, { recursive: true }))

const withHeart = { version: '1' }
type Build = typeof withHeart | null

/** A start of a build with or without Heart on the database. */
function start(db: Database, build: Build) {
  const catalogue = readCatalogue(readOrder(db), build)
  rememberOrder(db, catalogue.builtInIds)
  const plans = createPlans(db, catalogue)
  return {
    catalogue,
    plans,
    admin: { db, catalogue, actor: 'test', refusesLockOut: false, nowMs: Date.now },
    ids: () => plans.listFor(null).map(({ voice }) => voice.id),
    chosen: (planId: string | null = null) => plans.choose(planId, undefined).id,
    explain: () => explainDefault(catalogue, plans),
  }
}

const builtInCount = readCatalogue([], withHeart).builtIn.length

describe('the order of the built-in voices', () => {
  it('begins with Heart in a new data directory, and with Ross where the build lacks Heart', () => {
    const heart = start(openDatabase(':memory:'), withHeart)
    expect([heart.ids()[0], heart.chosen(), heart.ids().length]).toEqual(['en-heart', 'en-heart', builtInCount])
    expect(heart.explain()).toMatchObject({ id: 'en-heart', available: true })
    const ross = start(openDatabase(':memory:'), null)
    expect([ross.ids()[0], ross.chosen(), ross.ids().length]).toEqual(['en-ross', 'en-ross', builtInCount - 1])
    expect(ross.explain()).toMatchObject({ id: 'en-ross', available: true })
    expect(ross.explain().reason).toContain('does not contain en-heart')
  })

  it('stays in a directory that a build without Heart made; Heart joins the built-in voices at their end', () => {
    const db = openDatabase(':memory:')
    const before = start(db, null).ids()
    const after = start(db, withHeart)
    after.catalogue.install([voicePack('a', ['a-1'])])
    expect(after.ids()).toEqual([...before, 'en-heart', 'a-1'])
    expect(after.chosen()).toBe('en-ross')
    expect(after.explain().reason).toContain('sonant voices update en-heart --featured true')
    expect(start(db, withHeart).ids()).toEqual([...before, 'en-heart'])
  })

  it('stays in the directory of an older version, whose voices keep their places', async () => {
    const path = join(directory, 'old.db')
    await writeOldFixture(path)
    const db = openDatabase(path)
    const { catalogue, chosen } = start(db, withHeart)
    expect(catalogue.voices.map(({ id }) => id)).toEqual([...readCatalogue([], null).ids, 'en-heart'])
    // An administrator featured Kevin.
    expect(chosen()).toBe('en-kevin')
    db.close()
  })

  it('is remembered once, for later starts too', () => {
    const db = openDatabase(':memory:')
    start(db, withHeart)
    const remembered = readOrder(db)
    start(db, withHeart)
    start(db, null)
    expect(readOrder(db)).toEqual(remembered)
    expect(new Set(remembered).size).toBe(builtInCount)
  })
})

describe('a default voice that the build lacks', () => {
  function lacking() {
    const db = openDatabase(':memory:')
    start(db, withHeart)
    return start(db, null)
  }

  it('is not replaced: requests without a voice are refused and told its name, others are spoken', () => {
    const { chosen, plans, ids, explain } = lacking()
    expect(() => chosen()).toThrow('the default voice "en-heart" is not in this build')
    expect(() => plans.choose(null, 'en-heart')).toThrow('there is no voice "en-heart"')
    expect(plans.choose(null, 'en-ross').id).toBe('en-ross')
    expect(ids()[0]).toBe('en-ross')
    expect(explain()).toMatchObject({ id: 'en-heart', available: false })
    expect(explain().reason).toContain('sonant voices update ID --featured true')
  })

  it('is replaced by a featured voice', () => {
    const { admin, chosen, explain } = lacking()
    updateVoice(admin, 'en-clara', { featured: true })
    expect(chosen()).toBe('en-clara')
    expect(explain()).toMatchObject({ id: 'en-clara', available: true, reason: 'an administrator featured it' })
  })

  it('matters only to plans that have it in the first place', () => {
    const db = openDatabase(':memory:')
    const { admin } = start(db, withHeart)
    const planOf = (name: string, ...voices: string[]) => createGroup(admin, { name, voices }).id
    const [first, only, other] = [planOf('a', 'en-heart', 'en-ross'), planOf('b', 'en-heart'), planOf('c', 'en-ross')]
    const later = planOf('d', 'en-clara', 'en-heart')
    updateVoice(admin, 'en-clara', { featured: true })
    const { chosen, plans } = start(db, null)
    for (const id of [first, only]) expect(() => chosen(id)).toThrow('"en-heart"')
    expect(plans.defaultIdFor(only)).toBe('en-heart')
    expect([chosen(other), chosen(later)]).toEqual(['en-ross', 'en-clara'])
  })

  it('does not matter while it is deactivated', () => {
    const db = openDatabase(':memory:')
    const { admin } = start(db, withHeart)
    updateVoice(admin, 'en-heart', { active: false })
    for (const build of [withHeart, null]) expect(start(db, build).chosen()).toBe('en-ross')
    expect(start(db, withHeart).explain().reason).toContain('an administrator removed en-heart')
  })
})

describe('a move', () => {
  const none = { packs: [] }
  const featured = ['en-ross', 'en-clara', 'zh-mei', 'de-karl', 'fr-luc']

  /** The voices of `featured`, in this order. */
  function prepared() {
    const started = start(openDatabase(':memory:'), withHeart)
    for (const id of featured) updateVoice(started.admin, id, { featured: true })
    const settings = () => readAllSettings(started.admin.db)
    return {
      ...started,
      settings,
      move: (id: string, before: string | null) => moveVoice(started.admin, id, { before }, none),
      first: () => started.ids().slice(0, featured.length),
    }
  }

  it('puts the voice before the other one, or last, and nothing else', () => {
    const { move, first, settings } = prepared()
    expect(first()).toEqual(featured)
    expect(move('fr-luc', 'en-ross')).toMatchObject({ id: 'fr-luc', featured: true, position: 1 })
    expect(first()).toEqual(['fr-luc', 'en-ross', 'en-clara', 'zh-mei', 'de-karl'])
    move('en-ross', null)
    expect(first()).toEqual(['fr-luc', 'en-clara', 'zh-mei', 'de-karl', 'en-ross'])
    move('en-clara', 'de-karl')
    expect(first()).toEqual(['fr-luc', 'zh-mei', 'en-clara', 'de-karl', 'en-ross'])
    move('zh-mei', 'en-clara')
    expect(first()).toEqual(['fr-luc', 'zh-mei', 'en-clara', 'de-karl', 'en-ross'])
    expect(first().map((id) => settings()(id).position)).toEqual([1, 2, 3, 4, 5])
  })

  it('features the voice, and keeps its other settings and those of the others', () => {
    const { admin, move, ids, settings } = prepared()
    updateVoice(admin, 'en-kevin', { display_name: 'Kev', public: false })
    updateVoice(admin, 'en-ross', { display_name: 'R' })
    move('en-kevin', 'en-ross')
    expect(settings()('en-kevin')).toMatchObject({ displayName: 'Kev', public: false, featured: true, position: 1 })
    expect(settings()('en-ross')).toMatchObject({ displayName: 'R', position: 2 })
    expect(ids()[0]).toBe('en-ross')
    expect(settings()('en-angus')).toMatchObject({ featured: false, position: 0 })
  })

  it('adds up with the moves of others, also where positions are equal or far apart', () => {
    const { admin, move, first } = prepared()
    for (const id of featured) updateVoice(admin, id, { position: 7 })
    const inList = first()
    expect(new Set(inList)).toEqual(new Set(featured))
    // Two administrators who see the same list.
    move(inList[4]!, inList[0]!)
    move(inList[1]!, inList[3]!)
    expect(first()).toEqual([4, 0, 2, 1, 3].map((i) => inList[i]!))
  })

  it('keeps the place of a voice that is not installed now', () => {
    const { admin, catalogue, move, first } = prepared()
    catalogue.install([voicePack('mine', ['mine-1'])])
    updateVoice(admin, 'mine-1', { featured: true })
    move('mine-1', 'zh-mei')
    catalogue.install([])
    move('fr-luc', 'en-clara')
    expect(first()).toEqual(['en-ross', 'fr-luc', 'en-clara', 'zh-mei', 'de-karl'])
    catalogue.install([voicePack('mine', ['mine-1'])])
    expect(first()).toEqual(['en-ross', 'fr-luc', 'en-clara', 'mine-1', 'zh-mei'])
  })

  it('is refused beside a voice that is not featured, and for an unknown voice', () => {
    const { admin, move, first } = prepared()
    updateVoice(admin, 'zh-mei', { featured: false })
    for (const before of ['zh-mei', 'nobody'])
      expect(() => move('en-ross', before)).toThrow(`before: the voice "${before}" is not featured.`)
    expect(() => move('en-ross', 'en-ross')).toThrow('before: found "en-ross"; another voice or null is allowed.')
    expect(() => move('nobody', null)).toThrow('There is no voice "nobody".')
    expect(() => moveVoice(admin, 'en-ross', {}, none)).toThrow('before: found nothing')
    expect(first().slice(0, 4)).toEqual(['en-ross', 'en-clara', 'de-karl', 'fr-luc'])
  })
})

describe('an installed voice with the id of a built-in one', () => {
  it('keeps the id and its place; the built-in voice is left out while it is there', () => {
    const { catalogue, plans, ids } = start(openDatabase(':memory:'), withHeart)
    catalogue.install([voicePack('mine', ['en-heart'])])
    expect(plans.choose(null, 'en-heart').engine).toBe('piper')
    expect([ids()[0], ids().at(-1), ids().length]).toEqual(['en-ross', 'en-heart', builtInCount])
    catalogue.install([])
    expect(plans.choose(null, 'en-heart').engine).toBe('hibari')
  })

  it('cannot be a new one, even in a build that lacks the built-in voice', () => {
    expect(readCatalogue([], null).reservedIds).toContain('en-heart')
  })
})
