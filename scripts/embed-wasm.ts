/**
 * A plugin of the build. Libraries that Emscripten compiled into one file hold their WebAssembly in a string, which takes
 * three times its size in the executable. The build embeds it as a file instead.
 */
import { join } from 'node:path'
import type { BunPlugin } from 'bun'
import { replaceFile, root } from './run'

const libraries = [
  '@mediabunny/flac-encoder/dist/modules/build/flac.js',
  '@mediabunny/aac-encoder/dist/modules/build/aac.js',
  'libopus-wasm/dist/generated/libopus.generated.mjs',
]

/** The function that decodes the string, and in it the string. */
const decoder = /function findWasmBinary\(\) ?\{ ?return binaryDecode\(('(?:[^'\\]|\\[^])*')\);? ?\}/

export async function embedWasm(): Promise<BunPlugin> {
  // Before the build begins: the bundler does not see files that come later.
  const contents = new Map<string, string>()
  for (const library of libraries) {
    const path = join(root, 'node_modules', library)
    contents.set(path, await separate(path))
  }
  return {
    name: 'embed WebAssembly',
    setup(build) {
      build.onLoad({ filter: /\/build\/(flac|aac)\.js$|libopus\.generated\.mjs$/ }, ({ path }) => {
        const found = contents.get(path)
        return found === undefined ? undefined : { contents: found, loader: 'js' }
      })
    },
  }
}

/** Writes the WebAssembly of a library into a file of the cache. Returns the source that reads this file. */
async function separate(path: string): Promise<string> {
  const source = await Bun.file(path).text()
  const [found, literal] = decoder.exec(source) ?? []
  if (found === undefined) throw new Error(`${path}: the WebAssembly is not where it was expected`)
  const text = new Function(`return ${literal}`)() as string
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0) & 0xff)
  if (!WebAssembly.validate(bytes)) throw new Error(`${path}: the WebAssembly is not valid`)
  const name = `${new Bun.CryptoHasher('sha256').update(bytes).digest('hex').slice(0, 16)}.wasm`
  const wasmPath = join(root, 'node_modules/.cache', name)
  await replaceFile(wasmPath, bytes)
  const reading = source.replace(found, () => 'function findWasmBinary() { return readEmbeddedWasm(wasmPath) }')
  return `import { readFileSync as readEmbeddedWasm } from 'node:fs'
    import wasmPath from ${JSON.stringify(wasmPath)} with { type: 'file' }
    ${asModule(reading)}`
}

/** A file with imports must not be CommonJS. */
function asModule(source: string): string {
  return source
    .replace('Object.defineProperty(exports, "__esModule", { value: true });', '')
    .replace('exports.default = Module;', 'export default Module;')
}
