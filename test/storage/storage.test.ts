/** Audio files on a real disk. */
import { afterAll, beforeEach, describe, expect, it } from 'bun:test'
import { mkdir, mkdtemp, readdir, rm, stat, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { judgeSpace } from '../../src/storage/space'
import { openStorage, type Storage } from '../../src/storage/storage'

const root = await mkdtemp(join(tmpdir(), 'sonant-storage-'))
afterAll(() => rm(root, { recursive: true }))

let directory: string
let storage: Storage
beforeEach(async () => {
  directory = join(await mkdtemp(join(root, 'x')), 'deep/audio')
  storage = openStorage({ directory, minFreeBytes: 0 })
  await storage.prepare()
})

const files = async () => (await readdir(directory, { recursive: true })).sort()
const bytesOf = (text: string) => new TextEncoder().encode(text)

async function store(name: string, text: string): Promise<void> {
  const writer = await storage.create(name)
  await writer.write(bytesOf(text), 0)
  await writer.commit()
}

describe('the space on the disk', () => {
  const [gib, mib] = [1 << 30, 1 << 20]

  it.each([
    [{ freeBytes: 100 * gib, sizeBytes: 200 * gib }, 64 * mib, 'ok'],
    [{ freeBytes: gib - 1, sizeBytes: 200 * gib }, 64 * mib, 'low'],
    // A small disk.
    [{ freeBytes: 300 * mib, sizeBytes: gib }, 64 * mib, 'ok'],
    [{ freeBytes: 255 * mib, sizeBytes: gib }, 64 * mib, 'low'],
    [{ freeBytes: 52 * mib, sizeBytes: gib }, 0, 'ok'],
    [{ freeBytes: 51 * mib, sizeBytes: gib }, 0, 'low'],
    [{ freeBytes: 64 * mib - 1, sizeBytes: gib }, 64 * mib, 'full'],
    [{ freeBytes: 0, sizeBytes: gib }, 0, 'full'],
  ] as const)('%j with a minimum of %d is %s', (space, minFreeBytes, state) => {
    expect(judgeSpace(space, minFreeBytes)).toBe(state)
  })

  it('is read from the disk, unknown without it', async () => {
    const { freeBytes, sizeBytes } = (await storage.space())!
    expect(freeBytes).toBeGreaterThan(0)
    expect(sizeBytes).toBeGreaterThan(freeBytes)
    expect(await openStorage({ directory: join(directory, 'gone'), minFreeBytes: 0 }).space()).toBeUndefined()
  })
})

describe('create', () => {
  it('gives the file its name at commit and not before, in whatever order its parts were written', async () => {
    const writer = await storage.create('a.mp3')
    await writer.write(bytesOf('world'), 6)
    await writer.write(bytesOf('Hello '), 0)
    expect(await storage.find('a.mp3')).toBeUndefined()
    await writer.commit()
    const path = join(directory, 'a.mp3')
    const { mtimeMs: modifiedAtMs } = await stat(path)
    expect(await storage.find('a.mp3')).toEqual({ path, sizeBytes: 11, contentType: 'audio/mpeg', modifiedAtMs })
    expect(await Bun.file(join(directory, 'a.mp3')).text()).toBe('Hello world')
    expect(await files()).toEqual(['a.mp3', 'demos'])
  })

  it('never overwrites a file', async () => {
    await store('a.mp3', 'first')
    await expect(store('a.mp3', 'other')).rejects.toMatchObject({ code: 'storage_failed' })
    expect(await Bun.file(join(directory, 'a.mp3')).text()).toBe('first')
  })

  it('leaves no file after abort', async () => {
    const writer = await storage.create('a.wav')
    await writer.write(bytesOf('Hello'), 0)
    await writer.abort()
    expect(await files()).toEqual(['demos'])
  })

  it('keeps the file when abort follows commit', async () => {
    const writer = await storage.create('a.wav')
    await writer.write(bytesOf('Hello'), 0)
    await writer.commit()
    await writer.abort()
    expect(await files()).toEqual(['a.wav', 'demos'])
  })

  it('throws storage_failed when the directory is missing; so does commit, which leaves no file', async () => {
    const writer = await storage.create('a.mp3')
    await rm(directory, { recursive: true })
    await expect(writer.commit()).rejects.toMatchObject({ code: 'storage_failed' })
    await writer.abort()
    await expect(storage.create('b.mp3')).rejects.toMatchObject({ code: 'storage_failed' })
  })
})

describe('remove', () => {
  it('removes a file and ignores a missing one', async () => {
    await store('a.mp3', 'x')
    await storage.remove('a.mp3')
    await storage.remove('a.mp3')
    expect(await files()).toEqual(['demos'])
  })
})

describe('find', () => {
  it('returns the content type of each format and of demos', async () => {
    for (const [name, contentType] of [
      ['a.mp3', 'audio/mpeg'],
      ['a.wav', 'audio/wav'],
      ['a.opus', 'audio/ogg; codecs=opus'],
      ['a.flac', 'audio/flac'],
      ['a.aac', 'audio/aac'],
      ['demos/a-b_c.d.mp3', 'audio/mpeg'],
    ] as const) {
      await store(name, 'x')
      expect(await storage.find(name)).toMatchObject({ contentType, sizeBytes: 1 })
    }
  })

  it('finds no file under a malformed name or one that leaves the directory', async () => {
    await store('a.mp3', 'x')
    await store('demos/a.mp3', 'x')
    await Bun.write(join(directory, '../b.mp3'), 'x')
    for (const name of ['.hidden.mp3', 'A.mp3', 'a.ogg', 'a.mp3.part', 'other/a.mp3', 'demos/demos/a.mp3'])
      await Bun.write(join(directory, name), 'x')
    for (const name of [
      ...['../b.mp3', 'demos/../a.mp3', 'demos/../../b.mp3', './a.mp3', '/a.mp3', 'demos//a.mp3', '..\\b.mp3'],
      ...['.hidden.mp3', 'A.mp3', 'a.ogg', 'a.mp3.part', 'other/a.mp3', 'demos/demos/a.mp3'],
      ...['', 'demos', 'demos/', 'a.mp3\0', 'a.mp3\n', 'a%2emp3', `${'a'.repeat(129)}.mp3`, join(directory, 'a.mp3')],
    ])
      expect([name, await storage.find(name)]).toEqual([name, undefined])
  })

  it('finds no directory and no dangling link', async () => {
    await mkdir(join(directory, 'folder.mp3'))
    await symlink(join(directory, 'nowhere'), join(directory, 'dangling.mp3'))
    expect(await storage.find('folder.mp3')).toBeUndefined()
    expect(await storage.find('dangling.mp3')).toBeUndefined()
  })

  it('throws storage_failed when the disk fails', async () => {
    await symlink('loop.mp3', join(directory, 'loop.mp3'))
    await expect(storage.find('loop.mp3')).rejects.toMatchObject({ code: 'storage_failed' })
  })
})

describe('prepare', () => {
  it('removes incomplete files and nothing else', async () => {
    for (const name of ['a.mp3', 'a.mp3.123.part', 'demos/b.mp3', 'demos/b.mp3.456.part', 'notes.txt'])
      await Bun.write(join(directory, name), 'x')
    await storage.prepare()
    expect(await files()).toEqual(['a.mp3', 'demos', 'demos/b.mp3', 'notes.txt'])
  })
})

describe('ensureSpace', () => {
  it('refuses when less than the minimum is free', async () => {
    await storage.ensureSpace()
    const demanding = openStorage({ directory, minFreeBytes: 2 ** 60 })
    await expect(demanding.ensureSpace()).rejects.toMatchObject({ code: 'storage_failed' })
  })

  it('throws storage_failed when the directory is missing', async () => {
    await rm(directory, { recursive: true })
    await expect(storage.ensureSpace()).rejects.toMatchObject({ code: 'storage_failed' })
  })
})
