/** The order of the built-in voices in new and older data directories, and the default voice that a build may lack. */
import { afterAll, describe, expect, it } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createGroup, updateVoice } from '../../src/admin/voices'
import { openDatabase, type Database } from '../../src/db/database'
import { readCatalogue } from '../../src/voice/catalogue'
import { explainDefault } from '../../src/voice/default-voice'
import { readOrder, rememberOrder } from '../../src/voice/order'
import { createPlans } from '../../src/voice/plans'
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
