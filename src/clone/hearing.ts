/** The recording of a cloned voice, for its owner to hear. */
import type { Database } from '../db/database'
import { AppError } from '../errors'
import type { AudioKind } from '../audio/decode/sound'
import type { References } from '../storage/references'
import type { StoredFile } from '../storage/storage'
import { findClone, hasReference } from '../voice/clones'

const contentTypes: Record<AudioKind, string> = {
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
  flac: 'audio/flac',
  m4a: 'audio/mp4',
  aac: 'audio/aac',
  'ogg-vorbis': 'audio/ogg',
  'ogg-opus': 'audio/ogg',
  'ogg-flac': 'audio/ogg',
}

/** Content types that are remembered: finding one reads the file. */
const rememberedMax = 1_000

export function createHearing({ db, references }: { db: Database; references: References }) {
  const known = new Map<string, string>()

  /** The content decides, as for the upload. Throws `not_found` when the file was removed meanwhile. */
  async function contentTypeOf(sha256: string, path: string): Promise<string> {
    const remembered = known.get(sha256)
    if (remembered) return remembered
    const [{ sniff }, bytes] = await Promise.all([import('../audio/decode/probe'), readRecording(path)])
    const contentType = contentTypes[sniff(bytes)]
    if (known.size >= rememberedMax) known.clear()
    known.set(sha256, contentType)
    return contentType
  }

  /**
   * Finds the recording of the account's clone, and its name for caches. Throws `not_found` when there is none: also
   * when the voice is of another account, and when the recording was deleted.
   */
  return async (accountId: string, voiceId: string): Promise<{ name: string; file: StoredFile }> => {
    const clone = findClone(db, accountId, voiceId)
    const isKept = clone && hasReference(db, clone.sha256)
    const file = isKept ? await references.find(clone.sha256) : undefined
    if (!clone || !file) throw noRecording()
    return { name: clone.sha256, file: { ...file, contentType: await contentTypeOf(clone.sha256, file.path) } }
  }
}

async function readRecording(path: string): Promise<Uint8Array> {
  try {
    return await Bun.file(path).bytes()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw noRecording()
    throw new AppError('storage_failed', 'The recording could not be read.', { cause: error })
  }
}

function noRecording(): AppError {
  return new AppError('not_found', 'There is no recording of this voice.')
}
