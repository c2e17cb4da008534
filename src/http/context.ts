/** The dependencies of the routes, assembled by `app.ts`. */
import type { Addresses } from '../addresses'
import type { Config, RateLimits } from '../config'
import type { createKeyUse } from '../account/keys'
import type { createSessionUse } from '../account/sessions'
import type { Packs } from '../admin/packs'
import type { Cloning } from '../clone/cloning'
import type { Database } from '../db/database'
import type { Demos } from '../demos'
import type { Logger } from '../log'
import type { Networks } from '../net/address'
import type { Speaking } from '../speak/speak'
import type { SpeechWorkers } from '../workers/speech-workers'
import type { HubDesk } from '../packs/hub/desk'
import type { Installer } from '../packs/hub/installer'
import type { Access } from './access'
import type { OwnPage } from './own-page'
import type { SessionAccess } from './session-access'

export type ServerOptions = Pick<Config, 'ttsSecondsMax'> & {
  /** For administrators. */
  readonly config: Config
  readonly db: Database
  readonly speaking: Speaking
  readonly demos: Demos
  readonly cloning: Cloning
  readonly speech: SpeechWorkers
  readonly packs: Packs
  readonly installer: Installer
  /** Opens the offers of the hub. */
  readonly hubDesk: () => Promise<HubDesk>
  readonly log: Logger
  readonly keyUse: ReturnType<typeof createKeyUse>
  readonly sessionUse: ReturnType<typeof createSessionUse>
  readonly rateLimits: RateLimits
  readonly trustedProxies: Networks
  /** Names the installation in the balance. */
  readonly installation: { readonly slug: string; readonly name: string }
  /** Whether requests may ask for faults. */
  readonly faultsOnDemand: boolean
  readonly isTls: boolean
  /** Checks that changes with a cookie come from pages of this server. */
  readonly ownPage: OwnPage
  /** The addresses of the service and of the audio files, as the client of the request reaches them. */
  readonly addresses: (request: Request) => Addresses
  /** Aborted when the server begins to stop. */
  readonly stopping: AbortSignal
}

export type HttpContext = ServerOptions & {
  readonly access: Access
  readonly sessions: SessionAccess
}
