/** The built-in data as the sources see it: the files in a cache. */
import { afterEach, beforeEach, expect, it } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assets, folderOf } from '../../scripts/assets/manifest'
import { englishDataName, findAssets, heartName, readEnglishData } from '../../src/assets/built-in'

let cache: string
beforeEach(async () => {
  cache = await mkdtemp(join(tmpdir(), 'sonant-built-in-'))
})
afterEach(() => rm(cache, { recursive: true }))

const hibari = assets.hibari!
const data = Buffer.from('reading data '.repeat(1_000))

/** Files of the right names. */
async function fill(): Promise<void> {
  for (const { path } of hibari.files) await Bun.write(join(folderOf('hibari', hibari, cache), path), path)
  await Bun.write(join(cache, englishDataName), await Bun.zstdCompress(data))
  await Bun.write(join(cache, heartName), 'graph')
}

it('built-in data is found when all of its files are in the cache', async () => {
  await fill()
  const { english, notices } = findAssets(cache)!
  expect(await readEnglishData(english.data)).toEqual(new Uint8Array(data))
  expect(await Bun.file(english.networks.american).text()).toBe('hibari/assets/oov.onnx')
  expect(await Bun.file(english.networks.british).text()).toBe('hibari/assets/oov_gb.onnx')
  expect(await Bun.file(english.vocabulary).text()).toBe('hibari/assets/vocab.json')
  expect(notices).toMatchObject([{ name: 'hibari', version: hibari.version, license: 'Apache-2.0' }])
  const texts = await Promise.all(notices[0]!.texts.map((path) => Bun.file(path).text()))
  expect(texts.slice(0, 2)).toEqual([...hibari.notices])
  expect(texts[2]).toContain('ExplosionAI GmbH')
})

it('built-in data is absent when one of its files is missing', async () => {
  expect(findAssets(cache)).toBeUndefined()
  for (const path of [
    englishDataName,
    heartName,
    ...['hibari/assets/oov_gb.onnx', 'hibari/assets/vocab.json', ...hibari.notices].map((file) =>
      join(`hibari-${hibari.version}`, file),
    ),
  ]) {
    await fill()
    expect(findAssets(cache)).toBeDefined()
    await rm(join(cache, path))
    expect(findAssets(cache)).toBeUndefined()
  }
})
