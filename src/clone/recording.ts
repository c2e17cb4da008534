/** The recording of a clone: its identity before anything is fetched, and its bytes. */
import { AppError } from '../errors'
import { normalizeUrl } from '../net/url'
import type { ReceivedReference } from '../storage/references'
import { findReferenceOfUrl, hasReference } from '../voice/clones'
import type { CloneRequest, CloneSource, Cloning } from './cloning'

/** Returns the SHA-256 of the recording, if it is known without fetching, and its normalized URL. */
export function identify({ db }: Cloning, source: CloneSource): { sha256?: string; url?: string } {
  if ('file' in source) return { sha256: source.file.sha256 }
  if ('hash' in source) return { sha256: source.hash }
  const url = normalizeUrl(source.url)
  return { sha256: findReferenceOfUrl(db, url), url }
}

/**
 * Returns the recording: the upload, the stored copy or a download. Throws `unknown_hash` and the errors of a download.
 */
export async function obtain(
  cloning: Cloning,
  { caller, source, deadline, signal, faults }: CloneRequest,
  { sha256, url }: ReturnType<typeof identify>,
): Promise<ReceivedReference> {
  const { db, references, storage } = cloning
  if ('file' in source) return source.file
  await storage.ensureSpace()
  const stored = sha256 !== undefined && hasReference(db, sha256) ? await references.take(sha256) : undefined
  if (stored) return stored
  if (url === undefined)
    throw new AppError('unknown_hash', 'hash: the service has no such file; upload it.', { param: 'hash' })
  if (faults?.name === 'url_fetch_failed')
    throw new AppError('url_fetch_failed', 'url: it could not be fetched.', { param: 'url' })
  const { referenceBytesMax: sizeBytesMax, downloader } = cloning
  const options = { sizeBytesMax, key: caller.keyId, deadline, signal }
  return references.receiveFrom((path) => downloader.download(url, { path, ...options }))
}
