/** The state of the service: a few figures for every signed-in caller, and all of it for administrators. */
import { describeSystem } from '../admin/system'
import { describeCompute } from './compute'
import type { HttpContext } from './context'
import type { Handlers } from './routes'

export function systemHandlers({ config, db, speech, speaking: { storage, catalogue } }: HttpContext) {
  return {
    async getStatus() {
      const space = await storage.space()
      return {
        queue: speech.scheduler.requests(),
        workers: speech.scheduler.load(),
        compute: describeCompute(speech),
        // A disk that cannot be checked counts as full.
        storage: space?.state ?? 'full',
      }
    },

    showSystem: () => describeSystem({ config, db, storage, catalogue, speech }),
  } satisfies Partial<Handlers>
}
