/** The files of an uploaded pack on a real disk: names, space, the rename, and nothing that stays. */
import { afterEach, beforeEach, describe, expect, it } from 'bun:test'
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeLeftovers } from '../../src/packs/survey'
import { checkUploadName, openPackUpload, uploadPrefix } from '../../src/packs/upload'

let root: string
let directory: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'sonant-upload-'))
  directory = join(root, 'voices')
})
afterEach(() => rm(root, { recursive: true }))

const open = (name = 'mine', changes: { minFreeBytes?: number; free?: () => number; announcedBytes?: number } = {}) => {
  const { minFreeBytes = 0, free, announcedBytes = 0 } = changes
  return openPackUpload(name, announcedBytes, {
    ...{ directory, minFreeBytes },
    ...(free && { freeBytes: async () => free() }),
  })
}
const bytesOf = (text: string) => new TextEncoder().encode(text)
const files = async () => (await readdir(directory, { recursive: true })).sort()

async function send(upload: Awaited<ReturnType<typeof open>>, path: string, text = path): Promise<void> {
  const file = await upload.receive(path)
  for (const letter of text) await file.write(bytesOf(letter))
  await file.finish()
}

describe('an upload', () => {
  it('becomes the pack at its end and not before, readable by its owner only', async () => {
    const upload = await open()
    for (const path of ['model.onnx', 'voices/a.bin', 'voices/b.bin', 'LICENSE']) await send(upload, path)
    expect((await files()).every((path) => path.startsWith(uploadPrefix))).toBe(true)
    expect(upload.sizeBytes).toBe('model.onnxvoices/a.binvoices/b.binLICENSE'.length)
    await upload.keep()
    expect(await files()).toEqual([
      ...['mine', 'mine/LICENSE', 'mine/model.onnx', 'mine/voices', 'mine/voices/a.bin', 'mine/voices/b.bin'],
    ])
    expect(await Bun.file(join(directory, 'mine/voices/b.bin')).text()).toBe('voices/b.bin')
    expect((await stat(join(directory, 'mine'))).mode & 0o777).toBe(0o700)
    expect((await stat(join(directory, 'mine/model.onnx'))).mode & 0o777).toBe(0o600)
  })

  it('that is given up leaves nothing, before and after it became the pack', async () => {
    const begun = await open()
    const file = await begun.receive('model.onnx')
    await file.write(bytesOf('x'))
    await file.abort()
    await begun.discard()
    expect(await files()).toEqual([])
    const kept = await open()
    await send(kept, 'model.onnx')
    await kept.keep()
    await kept.discard()
    expect(await files()).toEqual([])
  })

  it('does not replace a pack, whether it was there first or came meanwhile', async () => {
    const [one, other] = [await open(), await open()]
    for (const upload of [one, other]) await send(upload, 'model.onnx')
    await one.keep()
    await expect(other.keep()).rejects.toMatchObject({ code: 'conflict', param: 'name' })
    await other.discard()
    await expect(open()).rejects.toMatchObject({ code: 'conflict', param: 'name' })
    expect(await files()).toEqual(['mine', 'mine/model.onnx'])
  })

  it('needs a model', async () => {
    const upload = await open()
    await expect(upload.keep()).rejects.toMatchObject({ code: 'invalid_params', param: 'file' })
    await send(upload, 'config.json')
    await expect(upload.keep()).rejects.toThrow('found 1 files, none of them a model')
    await upload.discard()
  })

  it.each([
    ...['', undefined, '.', '..', '../x.onnx', '/etc/x.onnx', 'a/../x.onnx', 'a//x.onnx', 'a/b/x.onnx', 'a\\x.onnx'],
    ...[
      '.x.onnx',
      'a/.x.onnx',
      '-x.onnx',
      'x y.onnx',
      'x\u0000.onnx',
      'x\n.onnx',
      `${'x'.repeat(101)}.onnx`,
      'C:x.onnx',
    ],
    ...['x.exe', 'x.sh', 'x.onnx.part', 'source', 'x.', 'onnx'],
  ])('refuses the name %j', async (name) => {
    const upload = await open()
    await expect(upload.receive(name)).rejects.toMatchObject({ code: 'invalid_params', param: 'file' })
    await upload.discard()
    expect(await files()).toEqual([])
  })

  it('refuses a second file of the same name, also in another case', async () => {
    const upload = await open()
    await send(upload, 'voices/A.bin')
    for (const path of ['voices/A.bin', 'voices/a.BIN', 'Voices/a.bin'])
      await expect(upload.receive(path)).rejects.toThrow('each name is allowed once')
    await upload.discard()
  })

  it('refuses a name that is a file and a folder', async () => {
    const upload = await open()
    await send(upload, 'a.txt')
    await send(upload, 'b.txt/c.txt')
    for (const path of ['a.txt/c.txt', 'A.TXT/d.txt', 'b.txt'])
      await expect(upload.receive(path)).rejects.toMatchObject({ code: 'invalid_params', param: 'file' })
    await upload.discard()
  })

  it('keeps the required space free, at its beginning and while it grows', async () => {
    let freeBytes = 1_000
    const free = () => freeBytes
    await expect(open('mine', { minFreeBytes: 1_001, free })).rejects.toMatchObject({ code: 'storage_failed' })
    await expect(open('mine', { announcedBytes: 600, minFreeBytes: 500, free })).rejects.toThrow('1000 bytes are free')
    expect(await files()).toEqual([])
    const upload = await open('mine', { announcedBytes: 500, minFreeBytes: 500, free })
    const file = await upload.receive('model.onnx')
    await file.write(new Uint8Array(20 << 20))
    freeBytes = 499
    await expect(file.write(new Uint8Array(20 << 20))).rejects.toMatchObject({ code: 'storage_failed' })
    await file.abort()
    await upload.discard()
    expect(await files()).toEqual([])
  })
})

it('the name of a pack is a plain name that no temporary file has', () => {
  for (const name of ['kokoro', 'piper-en_US-amy-low', 'é-2.0+x', '声']) expect(checkUploadName(name)).toBe(name)
  for (const name of ['', '.x', '-x', 'a/b', '..', 'x.part', 'x.TMP', 'a b', 'x\u0000', 'x'.repeat(101)])
    expect(() => checkUploadName(name)).toThrow('name: found ')
})

it('the next start removes what a crash left, and no upload that runs', async () => {
  await mkdir(join(directory, `${uploadPrefix}0f-1.part/voices`), { recursive: true })
  await Bun.write(join(directory, `${uploadPrefix}0f-1.part/voices/a.bin`), 'x')
  await mkdir(join(directory, 'kokoro'))
  const upload = await open()
  await send(upload, 'model.onnx')
  await removeLeftovers(directory)
  await upload.keep()
  expect(await files()).toEqual(['kokoro', 'mine', 'mine/model.onnx'])
})
