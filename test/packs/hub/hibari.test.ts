/** Installing Hibari's voices by name from a local hub, until they read English with their accent. */
import { afterEach, beforeAll, beforeEach, describe, expect, it, setDefaultTimeout } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepareBuiltIn } from '../../../scripts/assets/built-in'
import { assets } from '../../../scripts/assets/manifest'
import { lockDirectory } from '../../../src/db/lock'
import { openHub } from '../../../src/packs/hub/client'
import { knownPacks } from '../../../src/packs/hub/packs'
import { pullPack, type PullOptions } from '../../../src/packs/hub/pull'
import { readPack } from '../../../src/packs/read-pack'
import { loadHibari } from '../../../src/speech/engines/hibari'
import { openRuntime } from '../../../src/speech/onnx/runtime'
import { decodeHibari, hibariModel } from '../../onnx/hibari'
import { kokoroVocabulary } from '../../speech/models/style-packs'
import { describeWithAsset } from '../../tools'
import { sha256, startHub, text, type HubServer } from './hub-server'

setDefaultTimeout(60_000)

const repository = 'maureesewilliams/hibari'
const graph = new Uint8Array(hibariModel())
const other = new Uint8Array(hibariModel({ timesIds: false }))
/** The known packs of Hibari with the transparent graph instead of their own. */
const transparent = knownPacks.map((pack) =>
  pack.pinned ? { ...pack, pinned: { ...pack.pinned, sizeBytes: graph.length, sha256: sha256(graph) } } : pack,
)

let hub: HubServer
let directory: string
beforeEach(async () => {
  hub = startHub()
  hub.licenses[repository] = 'apache-2.0'
  directory = await mkdtemp(join(tmpdir(), 'sonant-hub-'))
})
afterEach(async () => {
  await hub.stop()
  await rm(directory, { recursive: true })
})

function serve(files: Readonly<Record<string, Uint8Array<ArrayBuffer>>>, isLarge = true): void {
  hub.repositories[repository] = {
    'README.md': { bytes: text('---\nlicense: apache-2.0\n---\n# hibari\n'), large: false },
    LICENSE: { bytes: text('Apache License\nVersion 2.0'), large: false },
    NOTICE: { bytes: text('hibari'), large: false },
    'samples/hello.wav': { bytes: text('RIFF'), large: true },
    ...Object.fromEntries(Object.entries(files).map(([path, bytes]) => [path, { bytes, large: isLarge }])),
  }
}

function pull(name: string, options: Partial<PullOptions> = {}) {
  const opened = openHub({ address: hub.url, timing: { backoffMs: 1 } })
  const always = { hub: opened, directory, minFreeBytes: 0, lock: lockDirectory, packs: transparent }
  return pullPack(name, { ...always, ...options })
}

const cards = ['LICENSE', 'NOTICE', 'README.md', 'source.json']

describe('a voice of Hibari', () => {
  it('is its graph and the licence, without the other voices and the samples', async () => {
    serve({ 'voices/bf_emma.int8.onnx': graph, 'voices/bm_fable.int8.onnx': other })
    const { plan, directory: folder } = await pull('hibari/emma')
    expect(plan).toMatchObject({ family: 'hibari', folder: 'hibari-emma', license: 'apache-2.0' })
    expect(plan.card).toContain('# hibari')
    expect((await readdir(folder)).sort()).toEqual([...cards, 'bf_emma.int8.onnx'].sort())
    expect((await pull('hibari/emma')).wasThere).toBe(true)
  })

  it('is found by its hash in any folder', async () => {
    serve({ 'export/v3/tiny.int8.onnx': graph, 'hibari.onnx': other })
    const { directory: folder } = await pull('hibari')
    expect((await readdir(folder)).sort()).toEqual([...cards, 'hibari.onnx'].sort())
    expect(sha256(await Bun.file(join(folder, 'hibari.onnx')).bytes())).toBe(sha256(graph))
  })

  it('is found by its name on a mirror that lists no SHA-256', async () => {
    serve({ 'voices/am_fenrir_v2.int8.onnx': graph }, false)
    const { directory: folder } = await pull('hibari/fenrir')
    expect(await readdir(folder)).toContain('am_fenrir_v2.int8.onnx')
  })

  it('that differs from the known one is refused with both hashes before it is downloaded', async () => {
    serve({ 'voices/af_kore.int8.onnx': other })
    await expect(pull('hibari/kore')).rejects.toThrow(
      new RegExp(`another af_kore.int8.onnx .* ${sha256(other)}, expected \\d+ bytes with ${sha256(graph)}`),
    )
    expect(hub.log.filter((line) => line.includes('/lfs/') || line.includes('/resolve/'))).toEqual([])
    expect(await readdir(directory)).toEqual([])
  })

  it('whose bytes differ is refused on a mirror that lists no SHA-256', async () => {
    serve({ 'voices/af_kore.int8.onnx': graph.map((byte, at) => (at === 500 ? byte ^ 1 : byte)) }, false)
    await expect(pull('hibari/kore')).rejects.toThrow(`expected ${sha256(graph)}, twice`)
    expect(await readdir(directory)).not.toContain('hibari-kore')
  })

  it('that the repository lacks is missed by name', async () => {
    serve({ 'voices/bf_emma.int8.onnx': other })
    await expect(pull('hibari/fable')).rejects.toThrow('has no bm_fable.int8.onnx')
  })

  it('has five names, and Heart is the built-in graph', () => {
    const known = knownPacks.filter(({ family }) => family === 'hibari')
    expect(known.map(({ name, pinned }) => [name, pinned!.target])).toEqual([
      ['hibari', 'hibari.onnx'],
      ['hibari/emma', 'bf_emma.int8.onnx'],
      ['hibari/fenrir', 'am_fenrir_v2.int8.onnx'],
      ['hibari/fable', 'bm_fable.int8.onnx'],
      ['hibari/kore', 'af_kore.int8.onnx'],
    ])
    const { sizeBytes, sha256 } = known[0]!.pinned!
    expect(assets.hibari!.files).toContainEqual({ path: 'hibari/assets/hibari.onnx', sizeBytes, sha256 })
    expect(new Set(known.map(({ pinned }) => pinned!.sha256)).size).toBe(known.length)
  })
})

describeWithAsset('hibari', 'a pulled voice of Hibari', () => {
  beforeAll(() => prepareBuiltIn({ sources: [] }), 60_000)
  const runtime = openRuntime({ directory: mkdtempSync(join(tmpdir(), 'sonant-ort-')), provider: 'cpu', threads: 1 })
  const symbolOf = new Map(Object.entries(kokoroVocabulary).map(([symbol, id]) => [id, symbol]))

  it.each([
    ['hibari', 'hibari-heart', 'Heart', 'en-US', 'female', 'fˈɑðəɹz lˈɑTəɹi'],
    ['hibari/emma', 'hibari-emma', 'Emma', 'en-GB', 'female', 'fˈɑːðəz lˈɒtəɹi'],
    ['hibari/fenrir', 'hibari-fenrir', 'Fenrir', 'en-US', 'male', 'fˈɑðəɹz lˈɑTəɹi'],
    ['hibari/fable', 'hibari-fable', 'Fable', 'en-GB', 'male', 'fˈɑːðəz lˈɒtəɹi'],
    ['hibari/kore', 'hibari-kore', 'Kore', 'en-US', 'female', 'fˈɑðəɹz lˈɑTəɹi'],
  ] as const)('reads with its accent: %s', async (name, id, displayName, language, gender, phonemes) => {
    serve({ [`voices/${knownPacks.find((pack) => pack.name === name)!.pinned!.target}`]: graph })
    const { voices, model, license } = await readPack((await pull(name)).directory)
    expect(voices).toMatchObject([{ id, displayName, language, gender }])
    expect(license).toBe('apache-2.0')
    const engine = await loadHibari(model, await runtime)
    const spec = { id, engine: 'hibari', language, sampleRate: 24_000, settings: voices[0]!.settings } as const
    const { samples } = await engine.synthesize(spec, "father's lottery")
    const said = decodeHibari(samples).map((symbol) => symbolOf.get(symbol) ?? '')
    expect(said.join('')).toBe(phonemes)
  })
})
