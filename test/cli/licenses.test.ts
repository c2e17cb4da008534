/** The licences of what is inside. */
import { describe, expect, it } from 'bun:test'
import { join } from 'node:path'
import { readLicenses } from '../../src/cli/read-licenses'

const root = join(import.meta.dir, '../..')
const licenses = readLicenses()

describe('the licences', () => {
  it('begin with the own one', async () => {
    const { version } = (await Bun.file(join(root, 'package.json')).json()) as { version: string }
    expect(licenses[0]).toMatchObject({ name: 'Sonant', version, license: 'GPL-3.0-or-later' })
    expect(licenses[0]!.text).toContain('GNU GENERAL PUBLIC LICENSE')
  })

  it('are those of every package in the bundle', async () => {
    const { metafile, success } = await Bun.build({
      entrypoints: [join(root, 'src/main.ts')],
      target: 'bun',
      splitting: true,
      metafile: true,
      // Its addon cannot be bundled outside of the real build.
      external: ['better-sqlite3'],
    })
    expect(success).toBe(true)
    const bundled = Object.keys(metafile!.inputs).flatMap((path) => {
      const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? []
      return name ? [name] : []
    })
    const names = licenses.map(({ name }) => name)
    expect(new Set(bundled).size).toBeGreaterThan(30)
    expect([...new Set(bundled)].filter((name) => !names.includes(name))).toEqual([])
    expect(names).toContain('better-sqlite3')
  })

  it('name none of the packages for development', () => {
    const names = licenses.map(({ name }) => name)
    for (const name of ['typescript', 'yauzl', 'ajv', 'fast-check', 'sherpa-onnx-node', 'bun-types'])
      expect(names).not.toContain(name)
  })

  it('all have a name, a version and an SPDX expression, and a text where the package ships one', () => {
    for (const { name, version, license, text } of licenses) {
      expect([name, version, license].every((value) => typeof value === 'string' && value !== '')).toBe(true)
      if (text !== null) expect(text.length).toBeGreaterThan(200)
    }
    // These packages ship none.
    expect(licenses.filter(({ text }) => text === null).map(({ name }) => name)).toEqual([
      'Bun',
      '@pinyin-pro/data',
      '@wasm-audio-decoders/common',
      '@wasm-audio-decoders/flac',
      '@wasm-audio-decoders/ogg-vorbis',
      'mpg123-decoder',
    ])
  })
})
