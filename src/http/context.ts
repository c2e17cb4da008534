/** What the routes need, put together by `app.ts`. */
import type { Database } from '../db/database'
import type { Demos } from '../demos'
import type { Logger } from '../log'
import type { Speaking } from '../speak'

export type HttpContext = {
  readonly db: Database
  readonly speaking: Speaking
  readonly demos: Demos
  readonly log: Logger
  /** Where clients find the service and the audio files; known once the port is. */
  readonly addresses: () => { baseUrl: string; storageUrl: string }
  readonly isStopping: () => boolean
}
