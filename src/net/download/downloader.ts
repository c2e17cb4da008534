/**
 * The code of a downloader process (`sonant downloader`). It makes the hops of one download, one at a time, and ends
 * with its parent. It has no access to the database, keys or other downloads.
 */
import { followParent } from '../../process/parent'
import { fetchHop } from './hop'
import type { FromDownloader, Hop } from './protocol'

export function runDownloader(): void {
  followParent()
  const send = (message: FromDownloader) => process.send!(message)
  process.on('message', async (hop: Hop) => send(await fetchHop(hop)))
  send({ type: 'ready' })
}
