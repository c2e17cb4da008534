/** The invitations to an account that were not used yet. */
import { X } from 'lucide'
import { api, dataOf, type Schema } from '../../client/client'
import { usePoll } from '../../client/load'
import { formatTime } from '../../format'
import { at } from '../../installation'
import { IconButton } from '../../parts/button'
import { ask } from '../../parts/dialog'
import { ErrorNote } from '../../parts/errors'
import { Card } from '../../parts/page'
import { Table, type Column } from '../../parts/table'
import { toast } from '../../parts/toast'
import { words } from '../../words/words'

type Open = Schema<'OpenInvitation'>
type Props = {
  readonly accountId: string
  /** Another number loads again. */
  readonly version: number
}

const refreshMs = 30_000

/** Shows nothing where there is none. */
export function InvitationsCard({ accountId, version }: Props) {
  const { people } = words.value.administration
  const params = { path: { id: accountId } }
  const list = usePoll(() => dataOf(api.GET('/api/v1/admin/accounts/{id}/invitations', { params })), refreshMs, [
    accountId,
    version,
  ])
  const items = list.data?.items ?? []
  if (items.length === 0) return list.error ? <ErrorNote error={list.error} onRetry={list.reload} /> : null

  async function cancel(id: string): Promise<void> {
    await dataOf(api.DELETE('/api/v1/admin/invitations/{id}', { params: { path: { id } } }))
    toast(people.cancelled)
    list.reload()
  }

  const askCancel = ({ id }: Open) =>
    ask({
      title: people.cancelTitle,
      text: <p>{people.cancelText}</p>,
      action: people.cancelInvitation,
      run: () => cancel(id),
    })
  const columns: readonly Column<Open>[] = [
    { title: people.invitedBy, cell: ({ invited_by }) => <Inviter actor={invited_by} /> },
    { title: people.madeAt, cell: ({ created_at }) => <span class="nowrap">{formatTime(created_at)}</span> },
    { title: people.expires, cell: ({ expires_at }) => <span class="nowrap">{formatTime(expires_at)}</span> },
  ]
  return (
    <Card title={people.open}>
      <Table
        label={people.open}
        columns={columns}
        rows={items}
        keyOf={({ id }) => id}
        actions={(each) => <IconButton icon={X} label={people.cancelInvitation} onClick={() => askCancel(each)} />}
      />
    </Card>
  )
}

/** `account ID, person ID`, `account ID, key ID`, or the user of the command line. */
function Inviter({ actor }: { readonly actor: string }) {
  const { people } = words.value.administration
  const [, account, kind] = /^account (\S+), (person|key) /.exec(actor) ?? []
  if (!account) return <code>{actor}</code>
  return <a href={at(`/admin/accounts/${account}`)}>{kind === 'person' ? people.byPerson : people.byKey}</a>
}
