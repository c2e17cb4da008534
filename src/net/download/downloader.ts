/**
 * What a downloader process runs (`sonant downloader`): it makes one hop after the other for one download, and ends with
 * its parent. It sees no database, no keys and no other download.
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
