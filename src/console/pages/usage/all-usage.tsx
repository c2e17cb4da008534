/** The page "All usage": the requests of all accounts, for administrators. */
import { ChartColumn, Download, RefreshCw } from 'lucide'
import { useMemo, useState } from 'preact/hooks'
import { api, dataOf, type Schema } from '../../client/client'
import { useLoad, usePages } from '../../client/load'
import { at, baseUrl } from '../../installation'
import { Button, LinkButton } from '../../parts/button'
import { DailyChart } from '../../parts/daily-chart'
import { Card, Page } from '../../parts/page'
import { Empty, Loaded } from '../../parts/states'
import type { Column } from '../../parts/table'
import { words } from '../../words/words'
import { AccountFilter } from './account-filter'
import { UsageDetails } from './details'
import { csvAddress, useUsageFilter } from './filter'
import { UsageFilters } from './filters'
import { namesOf, noNames } from './names'
import { UsageTable, UsageTotals } from './usage-table'

type Row = Schema<'AllUsagePage'>['items'][number]

const rowsPerPage = 50

export default function AllUsage() {
  const { navigation, money } = words.value
  const { usage } = money
  const controls = useUsageFilter()
  const { filter } = controls
  const [account, setAccount] = controls.account
  const [open, setOpen] = useState<Row>()
  const [key, setKey] = controls.key
  const chooseAccount = (id: string) => {
    // A key of another account would match nothing.
    setKey('')
    setAccount(id)
  }
  const voices = useLoad(() => dataOf(api.GET('/api/v1/admin/voices')), [])
  const keys = useLoad(
    async () => account && dataOf(api.GET('/api/v1/admin/accounts/{id}/keys', { params: { path: { id: account } } })),
    [account],
  )
  const days = useLoad(
    () => dataOf(api.GET('/api/v1/admin/usage/daily', { params: { query: account ? { account_id: account } : {} } })),
    [account],
  )
  const totals = useLoad(() => dataOf(api.GET('/api/v1/admin/usage/totals', { params: { query: filter } })), [filter])
  const list = usePages<Row>(
    (cursor) => {
      const query = { ...filter, limit: rowsPerPage, ...(cursor && { cursor }) }
      return dataOf(api.GET('/api/v1/admin/usage', { params: { query } }))
    },
    [filter],
  )
  const voiceNames = useMemo(
    () => (voices.data ? namesOf(voices.data.items, (voice) => [voice.id, voice.display_name]) : noNames),
    [voices.data],
  )
  const keyNames = useMemo(
    () => (keys.data ? namesOf(keys.data.items, (key) => [key.id, `${key.name} (${key.prefix}…)`]) : noNames),
    [keys.data],
  )
  const who = useMemo<Column<Row>>(() => {
    const cell = ({ account_id: id, account_name: name }: Row) => <a href={at(`/admin/accounts/${id}`)}>{name}</a>
    return { title: usage.account, cell }
  }, [usage])
  const reload = () => {
    days.reload()
    totals.reload()
    list.reload()
  }
  const daily = account ? usage.dailyAccount : usage.dailyAll
  return (
    <Page
      title={navigation.allUsage}
      lead={usage.allLead}
      actions={
        <>
          <Button icon={RefreshCw} isBusy={list.isLoading && list.items.length > 0} onClick={reload}>
            {usage.refresh}
          </Button>
          <LinkButton icon={Download} download href={`${baseUrl}${csvAddress('/api/v1/admin/usage.csv', filter)}`}>
            {usage.csv}
          </LinkButton>
        </>
      }
    >
      <Card title={daily}>
        <Loaded of={days}>{({ days }) => <DailyChart label={daily} days={days} />}</Loaded>
      </Card>
      <Card title={usage.history}>
        <UsageFilters of={controls} voices={voiceNames} keys={account || key ? keyNames : undefined}>
          <AccountFilter value={account} onValue={chooseAccount} />
        </UsageFilters>
        <UsageTotals of={totals} />
        <UsageTable
          of={list}
          controls={controls}
          voices={voiceNames}
          who={who}
          onDetails={setOpen}
          empty={<Empty icon={ChartColumn} title={usage.none} />}
        />
      </Card>
      {open && (
        <UsageDetails
          of={open}
          voice={voiceNames.get(open.voice_id) ?? open.voice_id}
          who={[usage.account, open.account_name]}
          onClose={() => setOpen(undefined)}
        />
      )}
    </Page>
  )
}
