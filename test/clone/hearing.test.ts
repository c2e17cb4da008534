/** The content type of recordings, of every format that can be cloned, and recordings that go away. */
import { afterAll, beforeAll, expect, it } from 'bun:test'
import { mkdtemp, rm, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHearing } from '../../src/clone/hearing'
import { openDatabase, type Database } from '../../src/db/database'
import { openReferences } from '../../src/storage/references'
import { insertClone, keepReference } from '../../src/voice/clones'

const fixtures = join(import.meta.dir, '../fixtures/audio')

let directory: string
let db: Database
let hear: ReturnType<typeof createHearing>
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sonant-hearing-'))
  db = openDatabase(':memory:')
  // Neither accounts nor requests matter here.
  db.pragma('foreign_keys = OFF')
  hear = createHearing({ db, references: openReferences({ directory }) })
})
afterAll(async () => {
  db.close()
  await rm(directory, { recursive: true })
})

/** Stores the recording as that of a clone of the account `a`. Returns the id of the voice and the path of the file. */
async function addClone(bytes: Uint8Array) {
  const sha256 = new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
  const path = join(directory, sha256)
  await Bun.write(path, bytes)
  const id = `cv-${sha256.slice(32)}`
  keepReference(db, { sha256, sizeBytes: bytes.length, nowMs: 1 })
  insertClone(db, {
    ...{ id, accountId: 'a', requestId: sha256, sha256, name: 'n', language: 'en', gender: null, method: 'adapted' },
    ...{ baseVoiceId: 'en-ross', profile: '{}', warnings: [], recordingMs: 1, demoName: id, createdAtMs: 1 },
  })
  return { id, path }
}

it.each([
  ['mono.mp3', 'audio/mpeg'],
  ['mono.flac', 'audio/flac'],
  ['mono.m4a', 'audio/mp4'],
  ['mono.aac', 'audio/aac'],
  ['mono-opus.ogg', 'audio/ogg'],
  ['mono-flac.ogg', 'audio/ogg'],
  ['mono-vorbis.ogg', 'audio/ogg'],
])('%s is %s, the second time too', async (name, contentType) => {
  const bytes = await Bun.file(join(fixtures, name)).bytes()
  const { id, path } = await addClone(bytes)
  for (let i = 0; i < 2; i++)
    expect((await hear('a', id)).file).toEqual({
      ...{ path, contentType, sizeBytes: bytes.length, modifiedAtMs: expect.any(Number) },
    })
})

it('a recording whose file is gone is not found', async () => {
  const { id, path } = await addClone(Buffer.from('RIFF'))
  await unlink(path)
  await expect(hear('a', id)).rejects.toMatchObject({ code: 'not_found' })
})
