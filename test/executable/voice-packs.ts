/** Packs in the voices folder of a server under test. */
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { readWav } from '../sound'
import { decodeTones, tonesModel, type TonesModel } from '../onnx/tones'
import { piperConfig, writePiperPack } from '../onnx/piper'
import type { Sonant } from './sonant'

export type PackItem = {
  readonly name: string
  readonly state: string
  readonly reason: string | null
  readonly voices: readonly string[]
} & Record<string, unknown>

/** Moves a complete pack into `dataDirectory`. */
export async function drop(
  dataDirectory: string,
  name: string,
  write: Readonly<Record<string, string | Uint8Array>> | ((directory: string) => Promise<unknown>),
): Promise<void> {
  const directory = join(dataDirectory, 'voices', name)
  const part = `${directory}.part`
  if (typeof write === 'function') await write(part)
  else for (const [file, content] of Object.entries(write)) await Bun.write(join(part, file), content)
  await rename(part, directory)
}

/** A voice that whistles its ids; `config` replaces fields of its configuration. */
export function dropTones(
  dataDirectory: string,
  name: string,
  model: TonesModel = {},
  config: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const speakers = model.speakers ?? 1
  const changes = speakers > 1 && { num_speakers: speakers }
  return drop(dataDirectory, name, (directory) =>
    writePiperPack(directory, { name, model: tonesModel(model), config: piperConfig({ ...changes, ...config }) }),
  )
}

/** The packs by name, after all of them are probed. The server's first key must be an administrator's. */
export async function packsTried(
  sonant: Sonant,
  names: readonly string[],
  key: string = sonant.apiKey,
): Promise<Readonly<Record<string, PackItem>>> {
  for (;;) {
    const { items } = (await (await sonant.request('/api/v1/admin/packs', { key })).json()) as { items: PackItem[] }
    const tried = items.filter(({ state }) => state !== 'checking').map(({ name }) => name)
    if (names.every((name) => tried.includes(name))) return Object.fromEntries(items.map((item) => [item.name, item]))
    await Bun.sleep(100)
  }
}

/** The one voice of that pack. */
export async function voiceOf(sonant: Sonant, name: string, key?: string): Promise<string> {
  const pack = (await packsTried(sonant, [name], key))[name]!
  if (pack.state !== 'ready') throw new Error(`${name}: ${pack.reason}`)
  return pack.voices[0]!
}

/** The input of the graph, as heard in the customer's file. */
export async function hear(sonant: Sonant, body: Record<string, unknown>) {
  const { answer, audio } = await sonant.speak({ format: 'wav', ...body })
  return { answer, audio, run: decodeTones(readWav(audio)) }
}
