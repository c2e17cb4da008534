/** "Did you mean" for voices, by id or display name. */
import { nearest } from '../suggest'
import type { Catalogue } from '../voice/catalogue'

/** `; did you mean "en-ross"?`, or nothing. */
export function suggestVoice(given: string, { voices }: Pick<Catalogue, 'voices'>): string {
  const byWord = new Map(
    voices.flatMap(({ id, displayName }) => [
      [id, id],
      [displayName, id],
      [id.slice(id.indexOf('-') + 1), id],
    ]),
  )
  const meant = [...new Set(nearest(given, byWord.keys()).map((word) => `"${byWord.get(word)}"`))]
  return meant.length > 0 ? `; did you mean ${meant.join(' or ')}?` : ''
}
