/** Advice to the operator for a pack that is too slow for this machine. */
import { limits } from '../config'
import type { Pack } from '../speech/models/pack'

/** Whether a pack cannot do every allowed text in time; false while its pace is unknown. */
export function isSlow(pack: Pick<Pack, 'pace'>): boolean {
  return adviceFor(pack) !== null
}

/** Null for a pack that does every allowed text in time, and while its pace is unknown. */
export function adviceFor({ pace }: Pick<Pack, 'pace'>): string | null {
  const charactersMax = pace?.charactersMax ?? limits.textCharactersMax
  if (charactersMax >= limits.textCharactersMax) return null
  const fitting =
    charactersMax < 1
      ? 'No text is done in time.'
      : `Only texts of up to about ${charactersMax} characters are done in time.`
  return `${fitting} ${remedies}`
}

const remedies =
  'Use another variant of the model (int8, fp32), a GPU, no more --workers than cores, a higher --tts-seconds-max, or another voice.'
