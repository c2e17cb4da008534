/** The families of packs that can be read; the first reader that knows a folder has it. */
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
