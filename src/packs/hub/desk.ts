/** The offers of a hub, for a running server: its index is read once and kept for a while. */
import { runWithin, type Deadline } from '../../deadline'
import { AppError } from '../../errors'
import type { Hub } from './client'
import { failed } from './failures'
import { planPack, type PullPlan } from './packs'
import { readHubIndex, searchIndex, type FoundPack, type HubIndex } from './search'

export type HubDesk = ReturnType<typeof createHubDesk>

/** A new voice shows up this much later. */
const keepMs = 600_000

export function createHubDesk({ hub, directory }: { hub: Hub; directory: string }) {
  let known: { readonly index: Promise<HubIndex>; readonly readAtMs: number } | undefined

  function readIndex(): Promise<HubIndex> {
    if (known && performance.now() - known.readAtMs < keepMs) return known.index
    const index = readHubIndex(hub)
    const entry = (known = { index, readAtMs: performance.now() })
    index.catch(() => {
      if (known === entry) known = undefined
    })
    return index
  }

  return {
    /** The packs that match all `words`; every one without words. Throws `url_fetch_failed`. */
    async search(words: readonly string[], deadline: Deadline): Promise<FoundPack[]> {
      const found = readIndex().then((index) => searchIndex(index, words, directory))
      return runWithin(deadline, found.catch(blameHub), tooLate)
    },

    /** The files, the licence and the model card of one pack. Throws `invalid_params`, `not_found`, `url_fetch_failed`. */
    async describe(name: string, deadline: Deadline): Promise<PullPlan> {
      return runWithin(deadline, planPack(hub, name, { signal: deadline.signal }), tooLate)
    },
  }
}

/** A hub without an index is not a mistake of the caller. */
function blameHub(error: unknown): never {
  throw error instanceof AppError && error.code === 'not_found'
    ? failed(error.message.replace(/\.$/, ''), error)
    : error
}

function tooLate(): AppError {
  return failed('it did not answer in time')
}
