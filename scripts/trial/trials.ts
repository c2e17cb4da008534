/** All trials by name. */
import { tryAddresses } from './addresses'
import { tryBodies } from './bodies'
import { tryConnections } from './connections'
import { tryInterface } from './interface'
import { tryKills } from './kills'
import { tryRecordings } from './recordings'
import type { Trial } from './trial'
import { tryUploads } from './uploads'

export const trials: Record<string, Trial> = {
  interface: tryInterface,
  bodies: tryBodies,
  recordings: tryRecordings,
  addresses: tryAddresses,
  connections: tryConnections,
  uploads: tryUploads,
  kills: tryKills,
}
