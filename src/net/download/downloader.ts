/**
 * What a downloader process runs (`sonant downloader`): it makes one hop after the other for one download, and ends with
 * its parent. It sees no database, no keys and no other download.
 */
import { fetchHop } from './hop'
import type { FromDownloader, Hop } from './protocol'

/** `fetch` makes a hop; tests bring their own. */
export function runDownloader(fetch: typeof fetchHop = fetchHop): void {
  if (!process.send) throw new Error('a downloader is started by the server, not by hand')
  const send = (message: FromDownloader) => process.send!(message)
  process.on('message', async (hop: Hop) => send(await fetch(hop)))
  process.on('disconnect', () => process.exit(0))
  // The terminal's interrupt reaches the whole group; the server decides when its downloads end.
  process.on('SIGINT', () => {})
  send({ type: 'ready' })
}
