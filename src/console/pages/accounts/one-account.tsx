/** `/admin/accounts/:id`: one account with all that belongs to it. */
import { ArrowLeft, ChartColumn, Pencil } from 'lucide'
import { useRoute } from 'preact-iso'
import { useState } from 'preact/hooks'
import { api, dataOf } from '../../client/client'
import { usePoll } from '../../client/load'
import { formatNumber, formatTime } from '../../format'
import { at } from '../../installation'
import { Button, LinkButton } from '../../parts/button'
import { CopyButton } from '../../parts/copy'
import { Facts } from '../../parts/facts'
import { Figure } from '../../parts/figures'
import { Card, Page } from '../../parts/page'
import { Loaded } from '../../parts/states'
import { words } from '../../words/words'
import { EditAccountDialog, type Account } from './account-form'
import { AccountBadges } from './accounts'
import { AdjustForm } from './adjust-form'
import { ClonesCard } from './clones-card'
import { DisableButton } from './disable-button'
import { EraseCard } from './erase-card'
import { InvitationsCard } from './invitations-card'
import { KeysCard } from './keys-card'
import { PeopleCard } from './people-card'
import { usePlanOptions } from './plans'

/** Its programs spend while the page is open, and another administrator may change it. */
const refreshMs = 15_000

export default function OneAccount() {
  const { id = '' } = useRoute().params
  return <AccountPage key={id} id={id} />
}

function AccountPage({ id }: { readonly id: string }) {
  const { navigation, administration } = words.value
  const { accounts } = administration
  const account = usePoll(
    () => dataOf(api.GET('/api/v1/admin/accounts/{id}', { params: { path: { id } } })),
    refreshMs,
    [id],
  )
  const { data } = account
  return (
    <Page
      title={data?.name ?? navigation.accounts}
      lead={data && <AccountBadges account={data} />}
      actions={
        <>
          <LinkButton href={at('/admin/accounts')} icon={ArrowLeft} kind="quiet">
            {accounts.back}
          </LinkButton>
          {data && !data.erased_at && <DisableButton account={data} onChanged={account.set} />}
        </>
      }
    >
      <Loaded of={account} lines={8}>
        {(data) => <Everything account={data} onChanged={account.set} reload={account.reload} />}
      </Loaded>
    </Page>
  )
}

type Props = {
  readonly account: Account
  readonly onChanged: (account: Account) => void
  readonly reload: () => void
}

function Everything({ account, onChanged, reload }: Props) {
  const { accounts, erasure } = words.value.administration
  const { id, status, erased_at: erasedAt } = account
  const [peopleVersion, setPeopleVersion] = useState(0)
  return (
    <>
      {erasedAt && (
        <div class="note">
          <p>{erasure.isErased(formatTime(erasedAt))}</p>
        </div>
      )}
      {status === 'disabled' && !erasedAt && (
        <div class="note warn">
          <p>{accounts.isDisabled}</p>
        </div>
      )}
      <div class="accounts-grid">
        <Details account={account} onChanged={onChanged} />
        <Card title={accounts.balance} actions={<UsageLink id={id} />}>
          <Figure name={accounts.balance} value={formatNumber(account.balance)} />
          <AdjustForm account={account} onAdjusted={reload} />
        </Card>
      </div>
      {!erasedAt && (
        <>
          <PeopleCard accountId={id} onInvited={() => setPeopleVersion(peopleVersion + 1)} />
          <InvitationsCard accountId={id} version={peopleVersion} />
          <KeysCard accountId={id} />
          <ClonesCard accountId={id} />
          <EraseCard account={account} onErased={onChanged} />
        </>
      )}
    </>
  )
}

function UsageLink({ id }: { readonly id: string }) {
  return (
    <LinkButton href={at(`/admin/usage?account=${id}`)} icon={ChartColumn} kind="quiet">
      {words.value.administration.accounts.usage}
    </LinkButton>
  )
}

function Details({ account, onChanged }: Pick<Props, 'account' | 'onChanged'>) {
  const { accounts } = words.value.administration
  const plans = usePlanOptions()
  const [isEditing, setEditing] = useState(false)
  const facts = [
    { name: accounts.email, value: account.email ?? '–' },
    { name: accounts.plan, value: plans.nameOf(account.group) },
    { name: accounts.role, value: account.role === 'admin' ? accounts.admin : accounts.user },
    {
      name: accounts.number,
      value: (
        <span class="row">
          <span class="mono">{account.account_number.replace(/(.{4})(?=.)/g, '$1 ')}</span>
          <CopyButton text={account.account_number} />
        </span>
      ),
    },
    { name: accounts.created_at, value: formatTime(account.created_at) },
  ]
  return (
    <Card
      title={accounts.account}
      actions={
        !account.erased_at && (
          <Button icon={Pencil} onClick={() => setEditing(true)}>
            {accounts.edit}
          </Button>
        )
      }
    >
      <Facts of={facts} />
      {isEditing && <EditAccountDialog account={account} onClose={() => setEditing(false)} onChanged={onChanged} />}
    </Card>
  )
}
