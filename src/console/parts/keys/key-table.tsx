/** Keys of an account in a table, with what may be done to them. */
import { Ban, RefreshCw, Trash2 } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Schema } from '../../client/client'
import { formatAgo, formatDay, formatNumber, formatTime } from '../../format'
import { words } from '../../words/words'
import { IconButton } from '../button'
import { ask } from '../dialog'
import { Badge, Bar, type Tone } from '../figures'
import { Table, type Column } from '../table'
import { toast } from '../toast'
import { NewKeyDialog, RotateKey } from './key-dialogs'
import { stateOf, type Key, type KeyState } from './key-state'

/** The operations on keys of the own account, or those of an administrator. */
export type KeyOperations = {
  readonly rotate: (id: string, graceSeconds: number) => Promise<Schema<'CreatedKey'>>
  readonly revoke: (id: string) => Promise<unknown>
  readonly remove: (id: string) => Promise<unknown>
}

type Props = {
  readonly keys: readonly Key[]
  readonly operations: KeyOperations
  /** After every change, and after every refusal: another window may have changed the key. */
  readonly onChange: () => void
  /** The address of the key's history. */
  readonly usageOf: (key: Key) => string
  /** More controls at the end of a row. */
  readonly moreActions?: (key: Key) => ComponentChildren
}

export function KeyTable({ keys, operations, onChange, usageOf, moreActions }: Props) {
  const [rotated, setRotated] = useState<Key>()
  const [created, setCreated] = useState<Schema<'CreatedKey'>>()
  const { navigation } = words.value

  const rotate = async (graceSeconds: number) => {
    try {
      setCreated(await operations.rotate(rotated!.id, graceSeconds))
      setRotated(undefined)
    } finally {
      onChange()
    }
  }

  return (
    <>
      <Table
        label={navigation.keys}
        columns={columns(usageOf)}
        rows={keys}
        keyOf={(key) => key.id}
        actions={(key) => (
          <>
            {moreActions?.(key)}
            <Actions of={key} operations={operations} onRotate={setRotated} onChange={onChange} />
          </>
        )}
      />
      {rotated && <RotateKey of={rotated} onRotate={rotate} onClose={() => setRotated(undefined)} />}
      {created && <NewKeyDialog apiKey={created.api_key} onClose={() => setCreated(undefined)} />}
    </>
  )
}

function columns(usageOf: Props['usageOf']): Column<Key>[] {
  const { common, money } = words.value
  const { keys } = money
  return [
    {
      title: keys.key,
      cell: (key) => (
        <div class="two-lines">
          <a class="strong" href={usageOf(key)} title={keys.usage(key.name)}>
            {key.name}
          </a>
          <code class="faint">{key.prefix}…</code>
        </div>
      ),
    },
    { title: keys.status, cell: (key) => <Status of={key} /> },
    { title: keys.spent, cell: (key) => <Spent of={key} /> },
    {
      title: keys.created,
      cell: ({ created_at }) => <span title={formatTime(created_at)}>{formatDay(created_at)}</span>,
    },
    {
      title: keys.lastUsed,
      cell: ({ last_used_at: at }) =>
        at ? <span title={formatTime(at)}>{formatAgo(at)}</span> : <span class="faint">{common.never}</span>,
    },
    {
      title: keys.expires,
      cell: ({ expires_at: at }) =>
        at ? <span title={formatTime(at)}>{formatDay(at)}</span> : <span class="faint">{keys.expiresNever}</span>,
    },
  ]
}

const tones: Record<KeyState, Tone> = { active: 'good', ending: 'warn', revoked: 'bad', expired: 'plain' }

function Status({ of: key }: { readonly of: Key }) {
  const { keys } = words.value.money
  const state = stateOf(key)
  return (
    <div class="two-lines">
      <Badge tone={tones[state]}>{keys[state]}</Badge>
      {state === 'ending' && <span class="faint small">{keys.endsAt(formatTime(key.revokes_at!))}</span>}
    </div>
  )
}

function Spent({ of: { spent, cap, name } }: { readonly of: Key }) {
  const { keys } = words.value.money
  if (cap === null)
    return (
      <span>
        {formatNumber(spent)} <span class="faint small">{keys.noCap}</span>
      </span>
    )
  const tone = spent >= cap ? 'bad' : spent >= cap * 0.8 ? 'warn' : 'plain'
  const amount = keys.spentOf(formatNumber(spent), formatNumber(cap))
  return (
    <div class="two-lines">
      <span>{amount}</span>
      <Bar label={`${name}: ${amount}`} value={spent} max={cap} tone={tone} />
    </div>
  )
}

type ActionsProps = Pick<Props, 'operations' | 'onChange'> & {
  readonly of: Key
  readonly onRotate: (key: Key) => void
}

function Actions({ of: key, operations, onRotate, onChange }: ActionsProps) {
  const { keys } = words.value.money
  const { id, name } = key
  const why = { active: undefined, ending: keys.notReplaced, revoked: keys.notRevoked, expired: keys.notExpired }
  const state = stateOf(key)
  const change = async (run: () => Promise<unknown>, said: string) => {
    try {
      await run()
      toast(said)
    } finally {
      onChange()
    }
  }
  const askToRevoke = () =>
    ask({
      title: keys.revokeTitle(name),
      text: keys.revokeText,
      action: keys.revoke,
      run: () => change(() => operations.revoke(id), keys.isRevoked(name)),
    })
  const askToDelete = () =>
    ask({
      title: keys.deleteTitle(name),
      text: keys.deleteText,
      action: keys.delete,
      run: () => change(() => operations.remove(id), keys.isDeleted(name)),
    })
  const label = (action: string, reason: string | undefined) =>
    [`${action}: ${name}`, reason].filter(Boolean).join(' – ')
  const noRevoking = state === 'revoked' ? keys.notRevoked : undefined
  return (
    <>
      <IconButton
        icon={RefreshCw}
        label={label(keys.rotate, why[state])}
        disabled={why[state] !== undefined}
        onClick={() => onRotate(key)}
      />
      <IconButton
        icon={Ban}
        label={label(keys.revoke, noRevoking)}
        disabled={noRevoking !== undefined}
        onClick={askToRevoke}
      />
      <IconButton icon={Trash2} label={label(keys.delete, undefined)} onClick={askToDelete} />
    </>
  )
}
