/** `sonant licenses`: the works inside and the texts of their licences. Loaded on use. */
import { findBuiltIn } from '../assets/built-in'
import type { AssetNotice } from '../assets/embedded'
import { licenses as command } from './commands/general'
import { readFlags } from './flags'
import { write } from './print'
import { readLicenses, type License } from './read-licenses' with { type: 'macro' }

export async function printLicenses(args: string[]): Promise<void> {
  const { values } = readFlags('licenses', command, args)
  const licenses = await listLicenses()
  await write(values.json ? [JSON.stringify({ items: licenses }), '\n'] : [overview(licenses), ...texts(licenses)])
}

async function listLicenses(): Promise<License[]> {
  const assets = await Promise.all((findBuiltIn()?.notices ?? []).map(readAsset))
  return [...readLicenses(), ...assets]
}

async function readAsset({ name, version, license, includes, texts }: AssetNotice): Promise<License> {
  return {
    name,
    version,
    license,
    includes: includes.map((work) => `${work.name} (${work.license})`).join(', '),
    text: (await Promise.all(texts.map((path) => Bun.file(path).text())))
      .map((text) => `${text.trimEnd()}\n`)
      .join('\n'),
  }
}

function overview(licenses: readonly License[]): string {
  const [own] = licenses
  const rows = licenses.map(({ name, version, license, includes }) => [
    `${name} ${version}`,
    `${license}${includes ? `; with ${includes}` : ''}`,
  ])
  const width = Math.max(...rows.map(([work]) => work!.length))
  const lines = rows.map(([work, terms]) => `  ${work!.padEnd(width)}  ${terms}\n`)
  return `Sonant is free software under ${own!.license}. Inside are:\n\n${lines.join('')}`
}

/** Equal texts once, under the names of all works that they apply to. */
function texts(licenses: readonly License[]): string[] {
  const works = new Map<string, string[]>()
  for (const { name, version, text } of licenses)
    if (text !== null) works.set(text, [...(works.get(text) ?? []), `${name} ${version}`])
  const without = licenses.filter(({ text }) => text === null).map(({ name, version }) => `${name} ${version}`)
  const sections = [...works].map(([text, names]) => `\n${heading(names)}\n${text}`)
  return [...sections, `\n${heading(without)}\nTheir packages hold no text of the licence stated above.\n`]
}

function heading(names: readonly string[]): string {
  return `${'='.repeat(80)}\n${names.join(', ')}\n${'='.repeat(80)}\n`
}
