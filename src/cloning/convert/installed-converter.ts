/** The tone converter among the installed packs. */
import type { Pack } from '../../speech/models/pack'
import type { ModelFiles } from '../../speech/voice'

/** An installed tone converter. */
export type Converter = {
  readonly model: ModelFiles
  /** Whether the same request gives the same bytes. */
  readonly deterministic: boolean
  /** Clones speak only with the converter of their fingerprint; another one would change their sound. */
  readonly fingerprint?: string
}

/** The first installed one of several. */
export function converterAmong(packs: readonly Pack[]): Converter | undefined {
  return packs.find(({ family }) => family === 'converter')
}
