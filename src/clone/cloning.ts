/** Types of cloning: its dependencies, requests and results. */
import type { Caller } from '../account/keys'
import type { FindConverter } from '../speak/speaking-voice'
import type { Deadline } from '../deadline'
import type { Faults } from '../faults'
import type { Downloader } from '../net/download'
import type { Billing } from '../billing/paid-request'
import type { Surface } from '../billing/usage/usage'
import type { Scheduler } from '../workers/scheduler'
import type { ReceivedReference, References } from '../storage/references'
import type { Storage } from '../storage/storage'
import type { Catalogue } from '../voice/catalogue'
import type { Clone } from '../voice/clones'

export const cloneUnits = 300

export type Cloning = Billing & {
  readonly catalogue: Catalogue
  readonly scheduler: Scheduler
  readonly converter: FindConverter
  readonly storage: Storage
  readonly references: References
  readonly downloader: Downloader
  /** Hz, of the demo. undefined: the voice's own rate. */
  readonly mp3SampleRate: number | undefined
  /** Limit for one account. */
  readonly clonesMax: number
  readonly referenceBytesMax: number
  /** The last work of each account and recording; work on the same recording runs one at a time. */
  readonly turns: Map<string, Promise<unknown>>
}

/** The source of the recording: an upload, a URL, or the SHA-256 of a recording that the service has already. */
export type CloneSource = { readonly file: ReceivedReference } | { readonly url: string } | { readonly hash: string }

export type CloneRequest = {
  readonly caller: Caller
  readonly surface: Surface
  readonly requestId: string
  /** Trimmed. */
  readonly name: string
  /** BCP 47. undefined: guessed from the script of the name. */
  readonly language: string | undefined
  readonly source: CloneSource
  /** Deadline of the whole request, including its upload. */
  readonly deadline: Deadline
  readonly signal: AbortSignal
  readonly faults?: Faults
}

export type Cloned = {
  readonly clone: Clone
  /** Whether the account had a clone of the recording already. */
  readonly duplicate: boolean
  readonly units: number
  /** The balance afterwards. */
  readonly remaining: number
}
