/** The tone converter among the installed packs. */
import type { Pack } from '../../speech/models/pack'
import type { ModelFiles } from '../../speech/voice'

/** The tone converter that is installed. */
export type Converter = {
  readonly model: ModelFiles
  /** Whether the same request gives the same bytes. */
  readonly deterministic: boolean
  /** Clones of another one than they were made with would have another sound. */
  readonly fingerprint?: string
}

/** Of several the one that was installed first. */
export function converterAmong(packs: readonly Pack[]): Converter | undefined {
  return packs.find(({ family }) => family === 'converter')
}
