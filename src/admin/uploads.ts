/** The administrative operation that makes a pack of the files that an administrator sends. */
import { retryWhileBusy } from '../db/statements'
import { openPackUpload, type PackUpload, type UploadOptions } from '../packs/upload'
import { runOperation, type Administration } from './administration'
import { listPacks, type Packs } from './packs'

type Sent = {
  /** As returned by `checkUploadName`. */
  readonly name: string
  /** Size of the whole form; 0: unknown. */
  readonly announcedBytes: number
  /** Hands every file to `receive`. Returns their number. */
  readonly read: (receive: PackUpload['receive']) => Promise<number>
}

/**
 * Returns the new pack, which is then tested. Nothing stays of an upload that fails. Throws `invalid_params`, `conflict`,
 * `storage_failed`, and the errors of `read`.
 */
export async function uploadPack(
  administration: Administration,
  packs: Packs,
  options: UploadOptions,
  { name, announcedBytes, read }: Sent,
) {
  const upload = await openPackUpload(name, announcedBytes, options)
  try {
    const files = await read(upload.receive)
    await upload.keep()
    const after = { files, size_bytes: upload.sizeBytes }
    await retryWhileBusy(() =>
      runOperation(administration, 'voices upload', () => ({ subject: name, before: null, after, result: undefined })),
    )
  } catch (error) {
    await upload.discard()
    throw error
  }
  await packs.registry.notice()
  return listPacks(packs).items.find((pack) => pack.name === name)
}
