/** `bun run build`: compiles `dist/sonant`, one file with everything in it. */
import { join } from 'node:path'
import type { BunPlugin } from 'bun'

const root = join(import.meta.dir, '..')
const sizeBytesMax = 200e6

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

/** Builds the executable and returns its path. */
export async function build(): Promise<string> {
  const outfile = await compile(join(root, 'src/main.ts'), join(root, 'dist/sonant'))
  const { size } = Bun.file(outfile)
  if (size > sizeBytesMax) throw new Error(`dist/sonant has ${size} bytes; at most ${sizeBytesMax} are allowed`)
  console.error(`dist/sonant: ${(size / 1e6).toFixed(1)} MB`)
  return outfile
}

/** Compiles the program that begins in `entrypoint` and returns `outfile`. */
export async function compile(entrypoint: string, outfile: string): Promise<string> {
  const commit = Bun.spawnSync(['git', 'rev-parse', '--short', 'HEAD'], { cwd: root, stderr: 'ignore' })
  const result = await Bun.build({
    entrypoints: [entrypoint],
    compile: { outfile, autoloadDotenv: false, autoloadBunfig: false },
    plugins: [embedSqliteAddon],
    minify: { whitespace: true, syntax: true, identifiers: false },
    bytecode: true,
    // A server need not read the code of the engines, nor a worker that of the server.
    splitting: true,
    format: 'esm',
    define: { SONANT_COMMIT: JSON.stringify(commit.stdout.toString().trim() || 'unknown') },
  })
  if (!result.success) throw new AggregateError(result.logs, 'the build failed')
  return outfile
}

if (import.meta.main) await build()
