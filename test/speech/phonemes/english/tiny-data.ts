/** Tiny data for reading English, made by the compiler of the real one. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compileEnglishData } from '../../../../scripts/english-data'

const gold = {
  hello: 'həlˈO',
  apple: 'ˈæpᵊl',
  cat: 'kˈæt',
  wait: 'wˈAt',
  black: 'blˈæk',
  bird: 'bˈɜɹd',
  do: 'dˈu',
  "n't": 'ənt',
  "don't": 'dˈOnt',
  am: 'æm',
  to: 'tu',
  one: 'wˈʌn',
  used: { DEFAULT: 'jˈuzd', VBD: 'jˈust' },
  read: { DEFAULT: 'ɹˈid', VBD: 'ɹˈɛd' },
  that: { DEFAULT: 'ðæt', None: 'ðˈæt', DT: 'ðˌæt' },
  odd: { DEFAULT: 'ˈɑd', NOUN: null },
  A: 'ˈA',
  D: 'dˈi',
  O: 'ˈO',
  S: 'ˈɛs',
  U: 'jˈu',
}
const silver = { Zelda: 'zˈɛldə', quokka: 'kwˈɑkə' }
const british = { ...gold, cat: 'kˈat', wait: 'wˈAt' }
const tags = [
  'NN',
  'NNP',
  'DT',
  'VBD',
  'VB',
  'VBZ',
  'PRP',
  'IN',
  'TO',
  '.',
  ',',
  ':',
  'HYPH',
  "''",
  '``',
  '-LRB-',
  '-RRB-',
]
const tagger = {
  tags,
  tagdict: {
    the: 'DT',
    The: 'DT',
    a: 'DT',
    A: 'DT',
    I: 'PRP',
    to: 'TO',
    in: 'IN',
    used: 'VBD',
    that: 'DT',
    '.': '.',
    ',': ',',
    '-': 'HYPH',
    '…': ':',
    '(': '-LRB-',
    ')': '-RRB-',
  },
  vocab: ['yesterday', 'i'],
  weights: {
    'w-1=yesterday': { VBD: 2.5, NN: -1 },
    b: { NN: 1 },
    'sh=Xx': { NNP: 3 },
    'sh=XX': { NNP: 3 },
  },
}
const specialCases = { "don't": ['do', "n't"], 'U.S.': ['U.S.'], 'a.m.': ['a.m.'] }
const network = { in: ['a', 'b', 'c'], out: ['a', 'b', 'k'], slots: 2, maxlen: 4 }

const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
const packed = (value: unknown) => Bun.gzipSync(json(value))

export type AssetFiles = Record<string, Uint8Array>

export const tinyAssets: AssetFiles = {
  'lexicon_us_gold.json.gz': packed(gold),
  'lexicon_us_silver.json.gz': packed(silver),
  'lexicon_gb_gold.json.gz': packed(british),
  'lexicon_gb_silver.json.gz': packed(silver),
  'tagger.json.gz': packed(tagger),
  'tokenizer_exceptions.json': json(specialCases),
  'oov.json': json(network),
  'oov_gb.json': json(network),
}

/** Compiles the files as the package's assets. */
export async function compileFiles(files: AssetFiles): Promise<Uint8Array> {
  const folder = mkdtempSync(join(tmpdir(), 'sonant-english-'))
  try {
    for (const [name, bytes] of Object.entries(files)) await Bun.write(join(folder, name), bytes)
    return await compileEnglishData(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
