/** The page "Balance": the balance, activation codes, and every movement. */
import { Wallet } from 'lucide'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { api, dataOf, type Schema } from '../../client/client'
import { usePages, usePoll } from '../../client/load'
import { refreshSession } from '../../client/session'
import { formatNumber, formatSigned, formatTime } from '../../format'
import { at } from '../../installation'
import { Card, Page } from '../../parts/page'
import { Empty, Loaded } from '../../parts/states'
import { EndlessList, Table, type Column } from '../../parts/table'
import { words, type Words } from '../../words/words'
import { ActivateCode } from './activation'

type Movement = Schema<'MovementPage'>['items'][number]

/** Programs spend while the page is open. */
const refreshMs = 15_000
const rowsPerPage = 50

export default function Balance() {
  const { navigation, money } = words.value
  const { balance } = money
  const loaded = usePoll(() => dataOf(api.GET('/api/v1/balance')), refreshMs)
  const columns = useMemo(() => columnsOf(balance), [balance])
  const movements = usePages<Movement>(
    (cursor) =>
      dataOf(api.GET('/api/v1/ledger', { params: { query: { limit: rowsPerPage, ...(cursor && { cursor }) } } })),
    [],
  )
  const left = loaded.data?.balance
  const before = useRef(left)
  useEffect(() => {
    // A longer list stays: it would jump away under the reader.
    const isShort = movements.items.length <= rowsPerPage
    if (before.current !== undefined && left !== before.current && isShort) movements.reload()
    before.current = left
  }, [left])
  const activated = () => {
    loaded.reload()
    movements.reload()
    void refreshSession()
  }
  return (
    <Page title={navigation.balance} lead={balance.lead}>
      <div class="balance-top">
        <Card title={balance.left}>
          <Loaded of={loaded} lines={2}>
            {(data) => (
              <div>
                <p class="balance-left">{formatNumber(data.balance)}</p>
                <p class="faint">{balance.unit}</p>
                <p class="faint small">{balance.number(data.account_number.replace(/^\*+/, '…'))}</p>
              </div>
            )}
          </Loaded>
        </Card>
        <Card title={balance.codeTitle}>
          <ActivateCode onActivated={activated} />
        </Card>
      </div>
      <Card title={balance.movements}>
        <p class="faint">{balance.movementsText}</p>
        <EndlessList
          of={movements}
          empty={
            <Empty icon={Wallet} title={balance.none}>
              <p>{balance.noneText}</p>
            </Empty>
          }
        >
          {(items) => <Table label={balance.movements} columns={columns} rows={items} keyOf={({ id }) => id} />}
        </EndlessList>
      </Card>
    </Page>
  )
}

function columnsOf(balance: Words['money']['balance']): Column<Movement>[] {
  return [
    { title: balance.time, cell: ({ created_at }) => formatTime(created_at) },
    { title: balance.reason, cell: (movement) => <Reason of={movement} /> },
    {
      title: balance.units,
      isNumber: true,
      cell: ({ units }) => <span class={units > 0 ? 'strong good-text' : ''}>{formatSigned(units)}</span>,
    },
    { title: balance.after, isNumber: true, cell: ({ balance_after }) => formatNumber(balance_after) },
  ]
}

function Reason({ of: { kind, reason, request_id } }: { readonly of: Movement }) {
  const { balance } = words.value.money
  return (
    <div class="two-lines">
      {request_id ? (
        <a href={at(`/usage?request=${request_id}`)}>{balance.kinds[kind]}</a>
      ) : (
        <span>{balance.kinds[kind]}</span>
      )}
      {kind === 'adjustment' && <span class="faint small">{reason}</span>}
    </div>
  )
}
