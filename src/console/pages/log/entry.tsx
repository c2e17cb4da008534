/** One operation of the audit log: who did what to whom, and the change. */
import { ListFilter } from 'lucide'
import type { Schema } from '../../client/client'
import { formatNumber, formatTime } from '../../format'
import { at } from '../../installation'
import { IconButton } from '../../parts/button'
import { words } from '../../words/words'
import { Changes, changesOf, Whole, type State } from './changes'

export type Act = Schema<'ActPage'>['items'][number]

/** The operation in the reader's language; its name on the command line where the console does not know it. */
export function sayAct(act: string): string {
  const known: Readonly<Record<string, string>> = words.value.account.log.acts
  return known[act] ?? act
}

/** Who did it, and how the filter names them. */
export function actorOf({ actor, actor_name }: Pick<Act, 'actor' | 'actor_name'>): { name: string; filter: string } {
  const { log } = words.value.account
  const [, , kind, id = ''] = /^account (\S+), (person|key) (\S+)$/.exec(actor) ?? []
  if (kind === 'person') return { name: actor_name ?? log.removedPerson, filter: id }
  if (kind === 'key') return { name: log.byKey(actor_name ?? log.unknownAccount), filter: id }
  const [, user] = /^cli (.*)$/.exec(actor) ?? []
  if (user !== undefined) return { name: log.commandLine(user), filter: actor }
  const [, joined] = /^(setup link|invitation) /.exec(actor) ?? []
  if (joined === 'invitation') return { name: log.invitation, filter: actor }
  return { name: joined ? log.setupLink : actor === 'setup' ? log.firstStart : actor, filter: actor }
}

type Props = {
  readonly of: Act
  readonly onActor: (filter: string) => void
  readonly onSubject: (id: string) => void
}

export function Entry({ of: entry, onActor, onSubject }: Props) {
  const { log } = words.value.account
  const { act, before, after, subject, created_at } = entry
  const { name, filter } = actorOf(entry)
  const changes = before && after ? changesOf(before, after) : []
  return (
    <li class="log-entry">
      <div class="log-act">
        <p>
          <span class="strong">{sayAct(act)}</span>
          {log.colon}
          <Subject of={entry} />
          <IconButton icon={ListFilter} label={log.onlySubject} onClick={() => onSubject(subject)} />
        </p>
        {changes.length > 0 && <Changes of={changes} />}
        {!(before && after) && (before || after) && (
          <details>
            <summary class="small faint">{after ? log.asMade : log.asDeleted}</summary>
            <Whole of={after ?? before} />
          </details>
        )}
      </div>
      <p class="log-who">
        <button type="button" class="link" title={log.onlyActor(name)} onClick={() => onActor(filter)}>
          {name}
        </button>
        <span class="faint small">{formatTime(created_at)}</span>
      </p>
    </li>
  )
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The changed object by its name, with a link to the account that it is or belongs to. */
function Subject({ of: { act, subject, subject_name, before, after } }: { readonly of: Act }) {
  const read = (field: string) => textOf(after, field) ?? textOf(before, field)
  const accountId = act.startsWith('account ') && uuid.test(subject) ? subject : read('account_id')
  const name = read('name') ?? read('display_name') ?? read('code') ?? subject_name ?? batchOf(after)
  const shown = name ?? subject
  // Persons are subjects, too, and have no page of their own.
  const isLinked = accountId && !act.includes('person')
  return isLinked ? (
    <a href={at(`/admin/accounts/${accountId}`)}>{shown}</a>
  ) : (
    <span class={name ? '' : 'mono'}>{shown}</span>
  )
}

/** A batch of codes by their number and what each adds. */
function batchOf(state: State): string | undefined {
  const { count, units } = state ?? {}
  return typeof count === 'number' && typeof units === 'number' ? `${count} × ${formatNumber(units)}` : undefined
}

function textOf(state: State, field: string): string | undefined {
  const value = state?.[field]
  return typeof value === 'string' && value !== '' ? value : undefined
}
