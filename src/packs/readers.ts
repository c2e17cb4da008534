/** The readers of all families; the first one that recognizes a folder reads it. */
import { readConverterPack } from '../cloning/convert/converter-pack'
import type { PackReader } from '../speech/models/family'
import { readHibariPack } from '../speech/models/hibari'
import { readKittenPack } from '../speech/models/kitten'
import { readKokoroPack } from '../speech/models/kokoro'
import { readPiperPack } from '../speech/models/piper'
import { readVitsPack } from '../speech/models/vits'

export const packReaders: readonly PackReader[] = [
  readConverterPack,
  readPiperPack,
  readKittenPack,
  readKokoroPack,
  readHibariPack,
  readVitsPack,
]
