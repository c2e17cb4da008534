/** Advice for a better recording, in plain words. */
import { words } from '../../words/words'
import type { Voice } from './filters'

export type Warnings = NonNullable<Voice['warnings']>

export function Advice({ of }: { readonly of: Warnings }) {
  const known: Readonly<Record<string, string>> = words.value.voices.warnings
  return (
    <ul class="advice">
      {of.map(({ code, message }) => (
        <li key={code}>{known[code] ?? message}</li>
      ))}
    </ul>
  )
}
