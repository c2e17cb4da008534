/** What making a voice from a recording needs, and what is asked of it. */
import type { Caller } from '../account/keys'
import type { FindConverter } from '../cloned-speaker'
import type { Deadline } from '../deadline'
import type { Faults } from '../faults'
import type { Downloader } from '../net/download'
import type { Billing } from '../settlement'
import type { Pool } from '../speech/pool'
import type { ReceivedReference, References } from '../storage/references'
import type { Storage } from '../storage/storage'
import type { Catalogue } from '../voice/catalogue'
import type { Clone } from '../voice/clones'

export const cloneUnits = 300

export type Cloning = Billing & {
  readonly catalogue: Catalogue
  readonly pool: Pool
  readonly converter: FindConverter
  readonly storage: Storage
  readonly references: References
  readonly downloader: Downloader
  /** Hz, of the demo; undefined for the voice's own. */
  readonly mp3SampleRate: number | undefined
  readonly holdTimeoutMs: number
  /** Of one account. */
  readonly clonesMax: number
  readonly referenceBytesMax: number
  /** Requests at work by their id, as of `Speaking`. */
  readonly running: Map<string, Promise<unknown>>
  /** What must not happen twice at once, by account and recording. */
  readonly turns: Map<string, Promise<unknown>>
}

/** Where the recording is: uploaded, at an address, or here already under the SHA-256 of its bytes. */
export type CloneSource = { readonly file: ReceivedReference } | { readonly url: string } | { readonly hash: string }

export type CloneRequest = {
  readonly caller: Caller
  readonly requestId: string
  /** Trimmed. */
  readonly name: string
  /** BCP 47; undefined: to be guessed. */
  readonly language: string | undefined
  readonly source: CloneSource
  /** Of the whole request, its upload included. */
  readonly deadline: Deadline
  readonly signal: AbortSignal
  readonly faults?: Faults
}

export type Cloned = {
  readonly clone: Clone
  /** Whether the account had it already. */
  readonly duplicate: boolean
  readonly units: number
  /** The balance after it. */
  readonly remaining: number
}
