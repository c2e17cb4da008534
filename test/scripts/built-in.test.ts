/** The real built-in assets, prepared for the build. */
import { expect, it } from 'bun:test'
import { cp, mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { prepareBuiltIn } from '../../scripts/assets/built-in'
import { readEnglishData } from '../../src/assets/built-in'
import { openEnglishData } from '../../src/speech/phonemes/english/data'
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
      const { english } = (await prepare())!
      const whole = await readEnglishData(english.data)
      expect(openEnglishData(whole).gold.american).toBeDefined()
      const written = Bun.file(english.data).lastModified
      await prepare()
      expect(Bun.file(english.data).lastModified).toBe(written)

      await truncate(english.data, 1_000)
      await prepare()
      expect(await readEnglishData(english.data)).toEqual(whole)

      await writeFile(join(copy, 'hibari/assets/oov.onnx'), 'a foreign graph')
      expect(await prepare()).toBeUndefined()
      expect(said.join('\n')).toContain('oov.onnx has 15 bytes')
      expect(await readdir(cache)).not.toContain(basename(folder))
    } finally {
      await rm(cache, { recursive: true })
    }
  })
})
