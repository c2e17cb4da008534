/** The built-in assets, prepared for the build. */
import { afterAll, describe, expect, it } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { cp, mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { prepareBuiltIn } from '../../scripts/assets/built-in'
import { assets, folderOf } from '../../scripts/assets/manifest'
import { readEnglishData } from '../../src/assets/built-in'
import { sha256Hex } from '../../src/hash'
import { openEnglishData } from '../../src/speech/phonemes/english/data'
import { hibariModel, networkModel } from '../onnx/hibari'
import { describeWithAsset } from '../tools'

describeWithAsset('hibari', 'the built-in assets', (folder) => {
  it('are compiled once, again after damage, and not at all without a source', async () => {
    const cache = await mkdtemp(join(tmpdir(), 'sonant-prepare-'))
    try {
      const said: string[] = []
      const prepare = () => prepareBuiltIn({ cache, sources: [], say: (line) => said.push(line) })
      expect(await prepare()).toBeUndefined()
      expect(said).toHaveLength(1)

      const copy = join(cache, basename(folder))
      await cp(folder, copy, { recursive: true })
      const { english, heart } = (await prepare())!
      const whole = await readEnglishData(english.data)
      expect(openEnglishData(whole).gold.american).toBeDefined()
      const written = Bun.file(english.data).lastModified
      await prepare()
      expect(Bun.file(english.data).lastModified).toBe(written)

      const graph = await Bun.file(heart).bytes()
      await truncate(english.data, 1_000)
      await truncate(heart, 1_000)
      await prepare()
      expect(await readEnglishData(english.data)).toEqual(whole)
      expect(await Bun.file(heart).bytes()).toEqual(graph)

      for (const graph of ['oov.onnx', 'hibari.onnx']) {
        await cp(folder, copy, { recursive: true })
        await writeFile(join(copy, 'hibari/assets', graph), 'a foreign graph')
        expect(await prepare()).toBeUndefined()
        expect(said.join('\n')).toContain(`${graph} has 15 bytes`)
        expect(await readdir(cache)).not.toContain(basename(folder))
      }
    } finally {
      await rm(cache, { recursive: true })
    }
  })
})

describe('files that the manifest pins', () => {
  const cache = mkdtempSync(join(tmpdir(), 'sonant-prepare-'))
  afterAll(() => rm(cache, { recursive: true }))

  const lexicons = ['us', 'gb'].flatMap((accent) => ['gold', 'silver'].map((kind) => `lexicon_${accent}_${kind}`))
  const sound: Readonly<Record<string, Uint8Array>> = {
    'hibari.onnx': hibariModel(),
    'oov.onnx': networkModel(),
    'oov_gb.onnx': networkModel(),
    ...Object.fromEntries(lexicons.map((name) => [`${name}.json.gz`, Bun.gzipSync('{}')])),
  }

  /** Fills the cache with `files` and pins exactly these. */
  async function prepare(files: typeof sound) {
    const pins = Object.entries(files).map(([name, bytes]) => {
      return { path: `hibari/assets/${name}`, sizeBytes: bytes.length, sha256: sha256Hex(bytes) }
    })
    const hibari = { ...assets.hibari!, notices: [], files: pins }
    for (const [name, bytes] of Object.entries(files))
      await Bun.write(join(folderOf('hibari', hibari, cache), 'hibari/assets', name), bytes)
    return prepareBuiltIn({ cache, sources: [], manifest: { hibari } })
  }

  it('are refused with the reason when a graph has other inputs or outputs', async () => {
    await expect(prepare({ ...sound, 'hibari.onnx': hibariModel({ without: ['phi'] }) })).rejects.toThrow(
      "hibari.onnx cannot be embedded: it does not have Hibari's signature: it has no output phi",
    )
    await expect(prepare({ ...sound, 'hibari.onnx': Buffer.from('<html>') })).rejects.toThrow('cannot be embedded')
    await expect(prepare({ ...sound, 'oov_gb.onnx': networkModel('float32') })).rejects.toThrow(
      'oov_gb.onnx cannot be embedded: the network for unknown words must map int64 `chars` to int64 ids',
    )
  })

  it('are refused with the reason when a lexicon is no UTF-8', async () => {
    const broken = Bun.gzipSync(
      Uint8Array.from('{"a":"?"}', (letter) => (letter === '?' ? 0xff : letter.charCodeAt(0))),
    )
    await expect(prepare({ ...sound, 'lexicon_gb_silver.json.gz': broken })).rejects.toThrow(
      'lexicon_gb_silver.json.gz: The encoded data was not valid for encoding utf-8',
    )
  })
})
