/** Prepares the assets that the build embeds: fetches them, and compiles the data for reading English. */
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Glob } from 'bun'
import { englishDataName, findAssets } from '../../src/speech/built-in'
import type { Assets } from '../../src/speech/embedded'
import { replaceFile, root } from '../run'
import { fetchAssets, type FetchOptions } from './fetch'
import { assets, cacheDirectory } from './manifest'

const builtInNames = Object.keys(assets).filter((name) => assets[name]!.isBuiltIn)

/** Returns the paths of what can be embedded; undefined when no source has the assets. */
export async function prepareBuiltIn(options: FetchOptions = {}): Promise<Assets | undefined> {
  const { cache = cacheDirectory } = options
  const folders = await fetchAssets(builtInNames, options)
  const hibari = folders.get('hibari')
  if (hibari === undefined || !(await compileEnglish(hibari, cache))) return undefined
  return findAssets(cache)
}

const compiler = join(root, 'scripts/english-data.ts')
const compressionLevel = 12

/** Compiles again only after a change of the asset or the compiler. Returns false where there is no compiler. */
async function compileEnglish(hibari: string, cache: string): Promise<boolean> {
  if (!existsSync(compiler)) return false
  const target = join(cache, englishDataName)
  const keyPath = join(cache, 'english.key')
  const key = await keyOf(hibari)
  const known = Bun.file(keyPath)
  if (existsSync(target) && (await known.exists()) && (await known.text()) === key) return true
  const { compileEnglishData } = (await import(compiler)) as { compileEnglishData(folder: string): Promise<Uint8Array> }
  const bytes = await compileEnglishData(join(hibari, 'hibari/assets'))
  await rm(keyPath, { force: true })
  await replaceFile(target, await Bun.zstdCompress(bytes, { level: compressionLevel }))
  await replaceFile(keyPath, key)
  return true
}

/** Changes with the asset's version and with every source that the compiled data depends on. */
async function keyOf(hibari: string): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256').update(basename(hibari))
  const sources = [...new Glob('src/speech/phonemes/english/*.ts').scanSync(root)].sort()
  for (const source of [compiler, ...sources.map((file) => join(root, file))])
    hash.update(await Bun.file(source).bytes())
  return hash.digest('hex')
}
