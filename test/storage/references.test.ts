/** Recordings of clones on a real disk. */
import { afterAll, beforeEach, describe, expect, it } from 'bun:test'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openReferences, type ReceivedReference, type References } from '../../src/storage/references'

const root = await mkdtemp(join(tmpdir(), 'sonant-references-'))
afterAll(() => rm(root, { recursive: true }))

let directory: string
let references: References
beforeEach(async () => {
  directory = join(await mkdtemp(join(root, 'x')), 'references')
  references = openReferences({ directory })
  await references.prepare(() => true)
})

const files = async () => (await readdir(directory)).sort()
const hashOf = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex')

async function receive(...parts: string[]): Promise<ReceivedReference> {
  const incoming = await references.receive()
  for (const part of parts) await incoming.write(new TextEncoder().encode(part))
  return incoming.finish()
}

describe('a recording', () => {
  it('is hashed while it is written, and gets its name when it is kept', async () => {
    const reference = await receive('Hello ', 'world')
    expect([reference.sha256, reference.sizeBytes]).toEqual([hashOf('Hello world'), 11])
    expect(await Bun.file(reference.path).text()).toBe('Hello world')
    expect(await files()).toEqual([expect.stringMatching(/\.part$/)])
    await reference.flush()
    reference.keep()
    reference.keep()
    expect(await files()).toEqual([hashOf('Hello world')])
    expect((await stat(join(directory, reference.sha256))).mode & 0o077).toBe(0)
  })

  it('leaves no file when it is discarded or aborted', async () => {
    await (await receive('x')).discard()
    const incoming = await references.receive()
    await incoming.write(new Uint8Array(10))
    await incoming.abort()
    expect(await files()).toEqual([])
  })

  it('is readable by this user only while another process writes it, and is removed after a failure', async () => {
    const file = { sha256: hashOf('Hello'), sizeBytes: 5 }
    const reference = await references.receiveFrom(async (path) => {
      expect((await stat(path)).mode & 0o777).toBe(0o600)
      await Bun.write(path, 'Hello')
      return file
    })
    expect([reference.sha256, reference.sizeBytes]).toEqual([file.sha256, 5])
    await reference.flush()
    reference.keep()
    const broken = new Error('broken off')
    const failing = references.receiveFrom(async (path) => {
      await Bun.write(path, 'Hel')
      throw broken
    })
    expect(await failing.catch((error) => error)).toBe(broken)
    expect(await files()).toEqual([hashOf('Hello')])
  })

  it('stays when it is discarded after it was kept', async () => {
    const reference = await receive('x')
    await reference.keep()
    await reference.discard()
    expect(await files()).toEqual([hashOf('x')])
  })

  it('can be read and kept again from a copy after the original is removed', async () => {
    await (await receive('x')).keep()
    const taken = (await references.take(hashOf('x')))!
    expect([taken.sha256, taken.sizeBytes]).toEqual([hashOf('x'), 1])
    references.remove(hashOf('x'))
    references.remove(hashOf('x'))
    expect(await references.take(hashOf('x'))).toBeUndefined()
    expect(await Bun.file(taken.path).text()).toBe('x')
    await taken.keep()
    expect(await files()).toEqual([hashOf('x')])
  })

  it('throws storage_failed when the directory is missing', async () => {
    const reference = await receive('x')
    await rm(directory, { recursive: true })
    await expect(reference.flush()).rejects.toMatchObject({
      code: 'storage_failed',
      message: 'The recording could not be stored; nothing was charged. Try again.',
    })
    expect(() => reference.keep()).toThrow(expect.objectContaining({ code: 'storage_failed' }))
    await expect(references.receive()).rejects.toMatchObject({ code: 'storage_failed' })
  })
})

describe('prepare', () => {
  it('removes incomplete and unknown recordings and nothing else', async () => {
    for (const text of ['known', 'forgotten']) await (await receive(text)).keep()
    await receive('half')
    await Bun.write(join(directory, 'note.txt'), 'of somebody else')
    await references.prepare((sha256) => sha256 === hashOf('known'))
    expect(await files()).toEqual([hashOf('known'), 'note.txt'].sort())
  })
})
