/** Advice for a better recording, in plain words. */
import { words } from '../../words/words'
import type { Voice } from './filters'

type Warning = Pick<NonNullable<Voice['warnings']>[number], 'code'> & { readonly message?: string }

export function Advice({ of }: { readonly of: readonly Warning[] }) {
  const known: Readonly<Record<string, string>> = words.value.voices.warnings
  return (
    <ul class="advice">
      {of.map(({ code, message }) => (
        <li key={code}>{known[code] ?? message}</li>
      ))}
    </ul>
  )
}
