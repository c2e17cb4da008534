/** `/admin/accounts`: every account, to search and to open. */
import { Plus, Users } from 'lucide'
import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'
import { api, dataOf } from '../../client/client'
import { usePages } from '../../client/load'
import { useQuery } from '../../client/query'
import { formatDay, formatNumber } from '../../format'
import { at } from '../../installation'
import { Button } from '../../parts/button'
import { Badge } from '../../parts/figures'
import { Card, Page } from '../../parts/page'
import { SearchField } from '../../parts/search'
import { Empty } from '../../parts/states'
import { EndlessList, Table, type Column } from '../../parts/table'
import { words } from '../../words/words'
import { NewAccountDialog, type Account } from './account-form'
import { usePlanOptions } from './plans'

export default function Accounts() {
  const { navigation, administration } = words.value
  const { accounts } = administration
  const { route } = useLocation()
  const [q, setQ] = useQuery('q')
  const [isCreating, setCreating] = useState(false)
  const list = usePages(
    (cursor) => dataOf(api.GET('/api/v1/admin/accounts', { params: { query: { q: q || undefined, cursor } } })),
    [q],
  )
  return (
    <Page
      title={navigation.accounts}
      lead={accounts.lead}
      actions={
        <Button kind="primary" icon={Plus} onClick={() => setCreating(true)}>
          {accounts.create}
        </Button>
      }
    >
      <Card>
        <SearchField placeholder={accounts.search} value={q} onSearch={setQ} />
        <EndlessList of={list} empty={<Empty icon={Users} title={accounts.noneFound} />}>
          {(items) => <AccountTable items={items} />}
        </EndlessList>
      </Card>
      {isCreating && (
        <NewAccountDialog
          onClose={() => setCreating(false)}
          onCreated={({ id }) => route(at(`/admin/accounts/${id}`))}
        />
      )}
    </Page>
  )
}

function AccountTable({ items }: { readonly items: readonly Account[] }) {
  const { accounts } = words.value.administration
  const plans = usePlanOptions()
  const columns: readonly Column<Account>[] = [
    { title: accounts.name, cell: (account) => <AccountName account={account} /> },
    { title: accounts.status, cell: (account) => <AccountBadges account={account} /> },
    { title: accounts.balance, isNumber: true, cell: ({ balance }) => formatNumber(balance) },
    { title: accounts.plan, cell: ({ group }) => <span class="faint">{plans.nameOf(group)}</span> },
    { title: accounts.created_at, cell: ({ created_at }) => <span class="faint nowrap">{formatDay(created_at)}</span> },
  ]
  return <Table label={accounts.list} columns={columns} rows={items} keyOf={({ id }) => id} />
}

function AccountName({ account: { id, name, email } }: { readonly account: Account }) {
  return (
    <div class="account-name">
      <a class="strong" href={at(`/admin/accounts/${id}`)}>
        {name}
      </a>
      {email && <span class="faint small">{email}</span>}
    </div>
  )
}

export function AccountBadges({ account: { role, status, erased_at } }: { readonly account: Account }) {
  const { accounts, erasure } = words.value.administration
  if (erased_at) return <Badge>{erasure.erased}</Badge>
  return (
    <span class="row">
      {status === 'disabled' ? (
        <Badge tone="bad">{accounts.disabled}</Badge>
      ) : (
        <Badge tone="good">{accounts.enabled}</Badge>
      )}
      {role === 'admin' && <Badge tone="warn">{accounts.admin}</Badge>}
    </span>
  )
}
