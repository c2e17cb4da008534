/**
 * Data that is built in but no part of the repository: in the executable the embedded files, from the sources those in the
 * cache that `scripts/assets.ts` fills. Both may lack it.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../../voices/assets.json'
import { embeddedAssets, type Assets } from './embedded'

const root = join(import.meta.dir, '../..')
const cacheDirectory = join(root, '.cache/assets')

/** Name of the compiled data for reading English, in the cache. */
export const englishDataName = 'english.data.zst'

/** Name of the prepared graph of Heart, in the cache. */
export const heartName = 'heart.onnx'

/** The built-in assets; undefined in a build without them. */
export function findBuiltIn(): Assets | undefined {
  return embeddedAssets === undefined ? findAssets(cacheDirectory) : (embeddedAssets ?? undefined)
}

/** Decompresses the data for reading English. `path`: of the compressed file. */
export async function readEnglishData(path: string): Promise<Uint8Array> {
  return Bun.zstdDecompress(await Bun.file(path).bytes())
}

/** The assets in a cache of the sources, if all of their files are there. */
export function findAssets(cache: string): Assets | undefined {
  const { version, license, includes, notices } = manifest.hibari
  const folder = join(cache, `hibari-${version}`)
  const english = {
    data: join(cache, englishDataName),
    networks: { american: join(folder, 'hibari/assets/oov.onnx'), british: join(folder, 'hibari/assets/oov_gb.onnx') },
    vocabulary: join(folder, 'hibari/assets/vocab.json'),
  }
  const heart = join(cache, heartName)
  const texts = [
    ...notices.map((path) => join(folder, path)),
    ...includes.flatMap(({ text }) => (text === undefined ? [] : [join(root, text)])),
  ]
  const files = [english.data, ...Object.values(english.networks), english.vocabulary, heart, ...texts]
  if (!files.every((file) => existsSync(file))) return undefined
  const works = includes.map(({ name, license }) => ({ name, license }))
  return { version, english, heart, notices: [{ name: 'hibari', version, license, includes: works, texts }] }
}
