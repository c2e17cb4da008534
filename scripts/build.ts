/** `bun run build`: compiles `dist/sonant`, one file with everything in it. */
import { join } from 'node:path'
import type { BunPlugin } from 'bun'
import type { Assets } from '../src/assets/embedded'
import { bundleConsole } from '../src/http/console/bundle'
import { prepareBuiltIn } from './assets/built-in'
import { embedWasm } from './embed-wasm'
import { replaceFile, root } from './run'

const sizeBytesMax = 215e6

/** better-sqlite3 looks for its addon on disk at run time; for the executable the one for this platform is built in. */
const embedSqliteAddon: BunPlugin = {
  name: 'embed the SQLite addon',
  setup(build) {
    const platform = `${process.platform}${isMusl() ? 'musl' : ''}-${process.arch}`
    build.onResolve({ filter: /^better-sqlite3$/ }, () => ({
      path: join(root, `node_modules/better-sqlite3/lib/${platform}.js`),
    }))
  },
}

function isMusl(): boolean {
  if (process.platform !== 'linux') return false
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } }
  return !header.glibcVersionRuntime
}

/**
 * onnxruntime finds its addon by a path made at run time, and the addon loads its library through the system. The build
 * embeds the addon for this platform and the library, compressed.
 */
async function embedOnnxruntime(): Promise<BunPlugin> {
  const directory = join(root, `node_modules/onnxruntime-node/bin/napi-v6/${process.platform}/${process.arch}`)
  // Before the build begins: the bundler does not see files that come later.
  const library = await compressLibrary(join(directory, libraryName))
  return {
    name: 'embed onnxruntime',
    setup(build) {
      build.onLoad({ filter: /onnxruntime-node\/dist\/binding\.js$/ }, async ({ path }) => {
        const source = await Bun.file(path).text()
        const contents = source.replace(/require\(`[^`]*onnxruntime_binding\.node`\)/, () => {
          return `require(${JSON.stringify(join(directory, 'onnxruntime_binding.node'))})`
        })
        if (contents === source) throw new Error(`${path}: the addon is not required as expected`)
        return { contents, loader: 'js' }
      })
      build.onLoad({ filter: /speech\/onnx\/library\.ts$/ }, () => ({
        contents: `
        import path from ${JSON.stringify(library.path)} with { type: 'file' }
        export const embeddedLibrary = { path, name: ${JSON.stringify(library.name)} }`,
        loader: 'ts',
      }))
    },
  }
}

/** The name under which the addon loads the library. */
const libraryName = 'libonnxruntime.so.1'
const compressionLevel = 12

/** Compressed once per version; `name` changes with the content. */
async function compressLibrary(path: string): Promise<{ path: string; name: string }> {
  const library = await Bun.file(path).bytes()
  const hash = new Bun.CryptoHasher('sha256').update(library).digest('hex').slice(0, 16)
  const compressed = join(root, 'node_modules/.cache', `onnxruntime-${hash}-${compressionLevel}.zst`)
  if (!(await Bun.file(compressed).exists()))
    await replaceFile(compressed, await Bun.zstdCompress(library, { level: compressionLevel }))
  return { path: compressed, name: `${hash}-${libraryName}` }
}

/** Embeds the files of the assets; without them the module says that there are none. */
function embedAssets(assets: Assets | undefined): BunPlugin {
  return {
    name: 'embed the assets',
    setup(build) {
      build.onLoad({ filter: /assets\/embedded\.ts$/ }, () => {
        const paths: string[] = []
        const json = JSON.stringify(assets ?? null, (_, value: unknown) => {
          if (typeof value !== 'string' || !value.startsWith(root)) return value
          return `${placeholder}${paths.push(value) - 1}`
        })
        const imports = paths.map((path, i) => `import file${i} from ${JSON.stringify(path)} with { type: 'file' }\n`)
        const value = json.replace(new RegExp(`"${placeholder}(\\d+)"`, 'g'), 'file$1')
        return { contents: `${imports.join('')}export const embeddedAssets = ${value}`, loader: 'ts' }
      })
    },
  }
}

const placeholder = 'path of file '

/** Embeds the bundled console. */
async function embedConsole(): Promise<BunPlugin> {
  const directory = join(root, 'node_modules/.cache/console')
  const entries: string[] = []
  for (const [name, { body, contentType }] of await bundleConsole()) {
    const path = join(directory, name)
    await replaceFile(path, new Uint8Array(await body.arrayBuffer()))
    entries.push(`import file${entries.length} from ${JSON.stringify(path)} with { type: 'file' }
      files.set(${JSON.stringify(name)}, { body: Bun.file(file${entries.length}), contentType: ${JSON.stringify(contentType)} })`)
  }
  const contents = `const files = new Map()
    ${entries.join('\n')}
    export const readConsoleFiles = async () => files`
  return {
    name: 'embed the console',
    setup(build) {
      build.onLoad({ filter: /http\/console\/files\.ts$/ }, () => ({ contents, loader: 'js' }))
    },
  }
}

/** Builds the executable and returns its path. */
export async function build(): Promise<string> {
  const outfile = await compile(join(root, 'src/main.ts'), join(root, 'dist/sonant'), await prepareBuiltIn())
  const { size } = Bun.file(outfile)
  if (size > sizeBytesMax) throw new Error(`dist/sonant has ${size} bytes; at most ${sizeBytesMax} are allowed`)
  console.error(`dist/sonant: ${(size / 1e6).toFixed(1)} MB`)
  return outfile
}

/** Compiles the program that begins in `entrypoint` and returns `outfile`. */
export async function compile(entrypoint: string, outfile: string, assets?: Assets): Promise<string> {
  const commit = Bun.spawnSync(['git', 'rev-parse', '--short', 'HEAD'], { cwd: root, stderr: 'ignore' })
  const result = await Bun.build({
    entrypoints: [entrypoint],
    compile: { outfile, autoloadDotenv: false, autoloadBunfig: false },
    plugins: [embedSqliteAddon, await embedOnnxruntime(), embedAssets(assets), await embedConsole(), await embedWasm()],
    minify: { whitespace: true, syntax: true, identifiers: false },
    bytecode: true,
    // A server does not load the code of the engines, nor a worker that of the server.
    splitting: true,
    format: 'esm',
    define: { SONANT_COMMIT: JSON.stringify(commit.stdout.toString().trim() || 'unknown') },
  })
  if (!result.success) throw new AggregateError(result.logs, 'the build failed')
  return outfile
}

if (import.meta.main) await build()
