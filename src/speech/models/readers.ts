/** The readers of all families; the first one that recognizes a folder reads it. */
import { readConverterPack } from './converter'
import type { PackReader } from './family'
import { readKittenPack } from './kitten'
import { readKokoroPack } from './kokoro'
import { readPiperPack } from './piper'
import { readVitsPack } from './vits'

export const packReaders: readonly PackReader[] = [
  readConverterPack,
  readPiperPack,
  readKittenPack,
  readKokoroPack,
  readVitsPack,
]
