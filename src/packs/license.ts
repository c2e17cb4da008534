/** Detects the licence of a pack from its files. */
import type { PackFolder } from '../speech/models/family'

const textBytesMax = 1 << 20
const nameLengthMax = 100
/** Model cards: with a YAML head as on Hugging Face, or a list as in Piper's voices. */
const cards = ['README.md', 'MODEL_CARD', 'MODEL_CARD.md']
const licenses = ['LICENSE', 'LICENSE.txt', 'LICENSE.md', 'LICENCE', 'COPYING']

/** First words of each licence text, and its SPDX id. */
const texts: readonly [RegExp, string][] = [
  [/Apache License\s+Version 2\.0/, 'Apache-2.0'],
  [/MIT License|Permission is hereby granted, free of charge/, 'MIT'],
  [/Mozilla Public License,? Version 2\.0/i, 'MPL-2.0'],
  [/GNU LESSER GENERAL PUBLIC LICENSE\s+Version 3/, 'LGPL-3.0'],
  [/GNU AFFERO GENERAL PUBLIC LICENSE\s+Version 3/, 'AGPL-3.0'],
  [/GNU GENERAL PUBLIC LICENSE\s+Version 3/, 'GPL-3.0'],
  [/Attribution-NonCommercial-ShareAlike 4\.0/, 'CC-BY-NC-SA-4.0'],
  [/Attribution-NonCommercial 4\.0/, 'CC-BY-NC-4.0'],
  [/Attribution-ShareAlike 4\.0/, 'CC-BY-SA-4.0'],
  [/Attribution 4\.0 International/, 'CC-BY-4.0'],
  [/CC0 1\.0 Universal/, 'CC0-1.0'],
  [/Redistribution and use in source and binary forms/, 'BSD'],
]
/** Search only the start of the file; later licences belong to other components. */
const titleCharacters = 2_000

/** The SPDX id or the licence in the model card; null without both. Skips oversized files. */
export async function readLicense(folder: PackFolder): Promise<string | null> {
  const read = async (file: string): Promise<string | undefined> => {
    if (!folder.files.includes(file) || folder.sizeBytesOf(file) > textBytesMax) return undefined
    return new TextDecoder().decode(await folder.read(file, textBytesMax))
  }
  for (const file of cards) {
    const name = licenseOfCard((await read(file)) ?? '')
    if (name) return name.slice(0, nameLengthMax)
  }
  for (const file of licenses) {
    const text = await read(file)
    const known = text && texts.find(([pattern]) => pattern.test(text.slice(0, titleCharacters)))
    if (known) return known[1]
  }
  return null
}

/** The licence in a model card; undefined without one. */
export function licenseOfCard(card: string): string | undefined {
  const head = /^---\r?\n([\s\S]*?)\r?\n---/.exec(card)?.[1] ?? ''
  const inHead = /^license:[ \t]*["']?([\w.+-]+)/m.exec(head)?.[1]
  // `other` has its name on a separate line.
  if (inHead === 'other') return /^license_name:[ \t]*["']?([\w.+-]+)/m.exec(head)?.[1] ?? inHead
  return inHead ?? /^[ \t]*[*-]?[ \t]*licen[sc]e:[ \t]*(\S.*?)[ \t]*$/im.exec(card)?.[1]
}
