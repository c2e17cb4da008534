/** The library of onnxruntime, unpacked where it may be kept, or for one process. */
import { afterEach, beforeEach, expect, it } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withUnpacked } from '../../../src/speech/onnx/unpack'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sonant-unpack-'))
  await writeFile(join(directory, 'packed'), await Bun.zstdCompress(Buffer.from('library')))
})
afterEach(() => rm(directory, { recursive: true }))

const library = () => ({ path: join(directory, 'packed'), name: 'lib.so' })

async function load(into: string): Promise<string[]> {
  const loaded: string[] = []
  await withUnpacked(library(), into, (path) => {
    expect(readFileSync(path, 'utf8')).toBe('library')
    loaded.push(path)
  })
  return loaded
}

it('stays for later processes; what killed processes left is removed', async () => {
  const kept = join(directory, 'deep/runtime')
  const path = join(kept, 'lib.so')
  expect(await load(kept)).toEqual([path])
  await rm(library().path)
  expect(await load(kept)).toEqual([path])

  await rm(path)
  await writeFile(library().path, await Bun.zstdCompress(Buffer.from('library')))
  for (const pid of [1, 2]) await writeFile(`${path}.${pid}.tmp`, 'lib')
  await utimes(`${path}.1.tmp`, 0, 0)
  await load(kept)
  expect((await readdir(kept)).sort()).toEqual(['lib.so', 'lib.so.2.tmp'])
})

it('is a temporary file where it cannot be kept, and leaves nothing', async () => {
  await writeFile(join(directory, 'a file'), '')
  const [path] = await load(join(directory, 'a file'))
  expect(path).toStartWith(tmpdir())
  expect(existsSync(path!)).toBe(false)
  expect((await readdir(directory)).sort()).toEqual(['a file', 'packed'])
})
