/** The state before and after an operation, readable. */
import type { ComponentChildren } from 'preact'
import { formatNumber, formatTime } from '../../format'
import { words } from '../../words/words'

export type State = Readonly<Record<string, unknown>> | null

type Change = { readonly field: string; readonly before: unknown; readonly after: unknown }

const instant = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

/** Fields within objects by their path, such as `limits.tts`. */
function flatten(state: State, path = ''): [string, unknown][] {
  return Object.entries(state ?? {}).flatMap(([field, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? flatten(value as State, `${path}${field}.`)
      : [[path + field, value] as [string, unknown]],
  )
}

/** The fields that differ. A field that stands on one side only counts as changed, where the object was there before. */
export function changesOf(before: State, after: State): Change[] {
  const old = new Map(flatten(before))
  const now = new Map(flatten(after))
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((field) => ({ field, before: old.get(field), after: now.get(field) }))
    .filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after))
}

/** Changes as "before → after". */
export function Changes({ of }: { readonly of: readonly Change[] }) {
  const { log } = words.value.account
  return (
    <dl class="log-changes">
      {of.map(({ field, before, after }) => (
        <div key={field}>
          <dt>
            <FieldName of={field} />
          </dt>
          <dd>
            {before !== undefined && (
              <del>
                <Value of={before} />
              </del>
            )}
            {before !== undefined && after !== undefined && <span aria-label={log.becomes}>→</span>}
            {after !== undefined && <Value of={after} />}
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** The whole state of an object that was made or deleted. */
export function Whole({ of }: { readonly of: State }) {
  return (
    <dl class="log-changes">
      {flatten(of).map(([field, value]) => (
        <div key={field}>
          <dt>
            <FieldName of={field} />
          </dt>
          <dd>
            <Value of={value} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function FieldName({ of: field }: { readonly of: string }) {
  const known: Readonly<Record<string, string>> = words.value.account.log.fields
  return <>{known[field] ?? <code>{field}</code>}</>
}

function Value({ of: value }: { readonly of: unknown }): ComponentChildren {
  const { common } = words.value
  if (value === null || value === '') return '–'
  if (typeof value === 'boolean') return value ? common.yes : common.no
  if (typeof value === 'number') return formatNumber(value)
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.map((item) => asText(item)).join(', ')
  const text = asText(value)
  return instant.test(text) ? formatTime(text) : text
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
