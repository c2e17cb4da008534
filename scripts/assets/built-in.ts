/** Prepares the assets that the build embeds: fetches them, and compiles the data for reading English. */
import { basename, join } from 'node:path'
import { Glob } from 'bun'
import { sha256Hex } from '../../src/hash'
import { englishDataName, findAssets } from '../../src/assets/built-in'
import type { Assets } from '../../src/assets/embedded'
import { checkSignature } from '../../src/speech/models/hibari'
import { readGraphFile, type GraphInfo } from '../../src/speech/onnx/file'
import { checkNetwork } from '../../src/speech/phonemes/english/unknown-words'
import { compileEnglishData } from '../english-data'
import { replaceFile, root } from '../run'
import { fetchAssets, type FetchOptions } from './fetch'
import { assets, cacheDirectory } from './manifest'

const builtInNames = Object.keys(assets).filter((name) => assets[name]!.isBuiltIn)

/**
 * Returns the paths of what can be embedded; undefined when no source has the assets. Throws when the manifest pins files
 * that the program cannot use: data that is no UTF-8, or a graph with other inputs or outputs.
 */
export async function prepareBuiltIn(options: FetchOptions = {}): Promise<Assets | undefined> {
  const { cache = cacheDirectory } = options
  const folders = await fetchAssets(builtInNames, options)
  const hibari = folders.get('hibari')
  if (hibari === undefined) return undefined
  checkGraphs(join(hibari, 'hibari/assets'))
  await compileEnglish(hibari, cache)
  return findAssets(cache)
}

function checkGraphs(folder: string): void {
  const check = (name: string, checkSignature: (graph: GraphInfo) => void) => {
    try {
      checkSignature(readGraphFile(join(folder, name)))
    } catch (error) {
      throw new Error(`${name} cannot be embedded: ${(error as Error).message}`, { cause: error })
    }
  }
  check('hibari.onnx', (graph) => checkSignature('it', graph))
  for (const name of ['oov.onnx', 'oov_gb.onnx']) check(name, checkNetwork)
}

const compressionLevel = 12

/** Compiles again only after a change of the asset or the compiler, or when the compiled file is damaged. */
async function compileEnglish(hibari: string, cache: string): Promise<void> {
  const [target, keyPath] = [join(cache, englishDataName), join(cache, 'english.key')]
  const key = await keyOf(hibari)
  const describeResult = (bytes: Uint8Array) => `${key} ${sha256Hex(bytes)}`
  const [result, known] = [Bun.file(target), Bun.file(keyPath)]
  const isThere = (await result.exists()) && (await known.exists())
  if (isThere && (await known.text()) === describeResult(await result.bytes())) return
  const bytes = await compileEnglishData(join(hibari, 'hibari/assets'))
  const compressed = await Bun.zstdCompress(bytes, { level: compressionLevel })
  await replaceFile(target, compressed)
  await replaceFile(keyPath, describeResult(compressed))
}

/** Changes with the asset's version and with every source that the compiled data depends on. */
async function keyOf(hibari: string): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256').update(basename(hibari))
  const sources = [...new Glob('src/speech/phonemes/english/*.ts').scanSync(root)].sort()
  for (const source of ['scripts/english-data.ts', ...sources]) hash.update(await Bun.file(join(root, source)).bytes())
  return hash.digest('hex')
}
