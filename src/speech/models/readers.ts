/** The families of packs that can be read; the first reader that knows a folder has it. */
import { readConverterPack } from './converter'
import type { PackReader } from './family'

export const packReaders: readonly PackReader[] = [readConverterPack]
