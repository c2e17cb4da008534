import { afterEach, beforeEach, describe, expect, it } from 'bun:test'
import { mkdir, mkdtemp, rename, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { requireUnchanged, takeSnapshot } from '../../../src/speech/models/snapshot'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sonant-snapshot-'))
  await Bun.write(join(directory, 'model.onnx'), 'model')
  await Bun.write(join(directory, 'styles/a.bin'), 'style')
})
afterEach(async () => {
  await rm(directory, { recursive: true })
})

const version = async () => (await takeSnapshot(directory))!.version

describe('a snapshot of a pack', () => {
  it('is the same for unchanged files', async () => {
    expect(await version()).toMatch(/^[0-9a-f]{32}$/)
    expect(await version()).toBe(await version())
  })

  it('is independent of the pack’s path', async () => {
    const before = await version()
    await rename(directory, `${directory}-moved`)
    directory += '-moved'
    expect(await version()).toBe(before)
  })

  const changes: Record<string, () => Promise<unknown>> = {
    'a new file': () => Bun.write(join(directory, 'new'), ''),
    'another size': () => Bun.write(join(directory, 'model.onnx'), 'models'),
    'another time': () => utimes(join(directory, 'styles/a.bin'), 1, 1),
    'another name': () => rename(join(directory, 'model.onnx'), join(directory, 'modell.onnx')),
    'a missing file': () => rm(join(directory, 'styles/a.bin')),
  }
  for (const [what, change] of Object.entries(changes))
    it(`differs with ${what}`, async () => {
      const before = await version()
      await requireUnchanged({ directory, version: before })
      await change()
      expect(await version()).not.toBe(before)
      expect(requireUnchanged({ directory, version: before })).rejects.toThrow('the files of the model have changed')
    })

  it('ignores hidden files and files below the second level', async () => {
    const before = await version()
    await Bun.write(join(directory, '.DS_Store'), 'x')
    await mkdir(join(directory, '.git'))
    await Bun.write(join(directory, 'a/b/c'), 'x')
    expect(await version()).toBe(before)
  })

  it('is undefined without a folder', async () => {
    expect(await takeSnapshot(join(directory, 'nothing'))).toBeUndefined()
    expect(await takeSnapshot(join(directory, 'model.onnx'))).toBeUndefined()
  })

  it('ignores broken links and cycles', async () => {
    await Bun.$`ln -s nowhere ${join(directory, 'lost')} && ln -s . ${join(directory, 'round')}`
    expect(await version()).toMatch(/^[0-9a-f]{32}$/)
  })
})
