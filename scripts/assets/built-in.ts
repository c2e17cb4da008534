/** Prepares the assets that the build embeds: fetches them, and compiles the data for reading English and Heart. */
import { mkdtemp, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Glob } from 'bun'
import { sha256Hex } from '../../src/hash'
import { englishDataName, findAssets, heartName } from '../../src/assets/built-in'
import type { Assets } from '../../src/assets/embedded'
import { checkSignature, durationsPlace, spectraOutputs } from '../../src/speech/models/hibari'
import { readGraphFile, type GraphInfo } from '../../src/speech/onnx/file'
import { planGraph } from '../../src/speech/onnx/graph'
import { rewriteGraph } from '../../src/speech/onnx/rewrite'
import { findRows } from '../../src/speech/onnx/rows'
import { bytesOf } from '../../src/speech/onnx/wire'
import { checkNetwork } from '../../src/speech/phonemes/english/unknown-words'
import { compileEnglishData } from '../english-data'
import manifest from '../../package.json'
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
  await compileHeart(hibari, cache)
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

async function compileEnglish(hibari: string, cache: string): Promise<void> {
  const sources = ['scripts/english-data.ts', ...new Glob('src/speech/phonemes/english/*.ts').scanSync(root)]
  await compileOnce(join(cache, englishDataName), join(cache, 'english.key'), await keyOf(hibari, sources), async () =>
    Bun.zstdCompress(await compileEnglishData(join(hibari, 'hibari/assets')), { level: compressionLevel }),
  )
}

/** The graph of Heart with its durations and rows exposed, optimized by the onnxruntime that will open it. */
async function compileHeart(hibari: string, cache: string): Promise<void> {
  const sources = [
    ...['scripts/assets/built-in.ts', 'scripts/assets/optimize-graph.ts', 'src/speech/models/hibari.ts'],
    ...['src/speech/onnx/rewrite.ts', 'src/speech/onnx/rows.ts'],
  ]
  const key = `${await keyOf(hibari, sources)} ${manifest.dependencies['onnxruntime-node']}`
  await compileOnce(join(cache, heartName), join(cache, 'heart.key'), key, async () => {
    const graph = await Bun.file(join(hibari, 'hibari/assets/hibari.onnx')).bytes()
    const info = readGraphFile(graph)
    const bytes = bytesOf(graph)
    const plan = planGraph(info, { durations: durationsPlace })
    return optimizeGraph(rewriteGraph(bytes, info, { ...plan, rows: findRows(bytes, info, spectraOutputs) }), cache)
  })
}

async function optimizeGraph(graph: Uint8Array, cache: string): Promise<Uint8Array> {
  const folder = await mkdtemp(join(cache, '.optimize-'))
  try {
    const [from, to] = [join(folder, 'from.onnx'), join(folder, 'to.onnx')]
    await Bun.write(from, graph)
    const command = [process.execPath, join(import.meta.dir, 'optimize-graph.ts'), from, to]
    const { exitCode, stderr } = Bun.spawnSync(command, { env: { ...process.env, ORT_DISABLE_TELEMETRY: '1' } })
    if (exitCode !== 0) throw new Error(`onnxruntime cannot optimize the graph: ${stderr.toString()}`)
    return await Bun.file(to).bytes()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Makes the file again only when `key` has changed, or when the file is damaged. */
async function compileOnce(
  path: string,
  keyPath: string,
  key: string,
  compile: () => Promise<Uint8Array>,
): Promise<void> {
  const describeResult = (bytes: Uint8Array) => `${key} ${sha256Hex(bytes)}`
  const [result, known] = [Bun.file(path), Bun.file(keyPath)]
  const isThere = (await result.exists()) && (await known.exists())
  if (isThere && (await known.text()) === describeResult(await result.bytes())) return
  const bytes = await compile()
  await replaceFile(path, bytes)
  await replaceFile(keyPath, describeResult(bytes))
}

/** Changes with the asset's version and with every source that the compiled file depends on. */
async function keyOf(hibari: string, sources: readonly string[]): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256').update(basename(hibari))
  for (const source of [...sources].sort()) hash.update(await Bun.file(join(root, source)).bytes())
  return hash.digest('hex')
}
