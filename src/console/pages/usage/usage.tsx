/** The page "Usage": the requests of the own account. */
import { ChartColumn, Download, RefreshCw } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { api, dataOf } from '../../client/client'
import { useLoad, usePages } from '../../client/load'
import { useQuery } from '../../client/query'
import { at, baseUrl } from '../../installation'
import { Button, LinkButton } from '../../parts/button'
import { DailyChart } from '../../parts/daily-chart'
import { Dialog } from '../../parts/dialog'
import { Card, Page } from '../../parts/page'
import { Empty, Loaded } from '../../parts/states'
import { words } from '../../words/words'
import { UsageDetails } from './details'
import { csvAddress, useUsageFilter } from './filter'
import { UsageFilters } from './filters'
import { namesOf, noNames } from './names'
import { UsageTable, UsageTotals, type UsageRecord } from './usage-table'

const rowsPerPage = 50

export default function Usage() {
  const { navigation, money } = words.value
  const { usage } = money
  const controls = useUsageFilter()
  const { filter } = controls
  const keys = useLoad(() => dataOf(api.GET('/api/v1/keys')), [])
  const voices = useLoad(() => dataOf(api.GET('/api/v1/voices')), [])
  const days = useLoad(() => dataOf(api.GET('/api/v1/usage/daily')), [])
  const totals = useLoad(() => dataOf(api.GET('/api/v1/usage/totals', { params: { query: filter } })), [filter])
  const list = usePages<UsageRecord>(
    async (cursor) => {
      const query = { ...filter, limit: rowsPerPage, ...(cursor && { cursor }) }
      const { records, next_cursor } = await dataOf(api.GET('/api/v1/usage', { params: { query } }))
      return { items: records, next_cursor }
    },
    [filter],
  )
  const voiceNames = useMemo(
    () => (voices.data ? namesOf(voices.data.voices, (voice) => [voice.id, voice.display_name]) : noNames),
    [voices.data],
  )
  const keyNames = useMemo(
    () => (keys.data ? namesOf(keys.data.items, (key) => [key.id, `${key.name} (${key.prefix}…)`]) : noNames),
    [keys.data],
  )
  const [open, setOpen] = useQuery('request')
  const isKnown = keys.data !== undefined
  const who = useMemo(() => {
    const cell = ({ key_id, surface }: UsageRecord) =>
      surface === 'console' ? usage.console : (keyNames.get(key_id) ?? (isKnown ? usage.deletedKey : '…'))
    return { title: usage.key, cell }
  }, [usage, keyNames, isKnown])
  const reload = () => {
    days.reload()
    totals.reload()
    list.reload()
  }

  return (
    <Page
      title={navigation.usage}
      lead={usage.lead}
      actions={
        <>
          <Button icon={RefreshCw} isBusy={list.isLoading && list.items.length > 0} onClick={reload}>
            {usage.refresh}
          </Button>
          <LinkButton icon={Download} download href={`${baseUrl}${csvAddress('/api/v1/usage.csv', filter)}`}>
            {usage.csv}
          </LinkButton>
        </>
      }
    >
      <Card title={usage.daily}>
        <Loaded of={days}>{({ days }) => <DailyChart label={usage.daily} days={days} />}</Loaded>
      </Card>
      <Card title={usage.history}>
        <UsageFilters of={controls} voices={voiceNames} keys={keyNames} />
        <UsageTotals of={totals} />
        <UsageTable
          of={list}
          controls={controls}
          voices={voiceNames}
          who={who}
          onDetails={({ request_id }) => setOpen(request_id)}
          empty={
            <Empty icon={ChartColumn} title={usage.none}>
              <p>{usage.noneText}</p>
              <LinkButton kind="primary" href={at('/speak')}>
                {usage.toPlayground}
              </LinkButton>
            </Empty>
          }
        />
      </Card>
      {open !== '' && (
        <OneRequest key={open} id={open} onClose={() => setOpen('')}>
          {(record, onErased) => (
            <UsageDetails
              of={record}
              voice={voiceNames.get(record.voice_id) ?? record.voice_id}
              who={[usage.key, who.cell(record)]}
              onErased={onErased}
              onClose={() => setOpen('')}
            />
          )}
        </OneRequest>
      )}
    </Page>
  )
}

type OneProps = {
  readonly id: string
  readonly onClose: () => void
  readonly children: (record: UsageRecord, onErased: () => void) => ComponentChildren
}

/** The request that the address names: one of the list, or one to which another page leads. */
function OneRequest({ id, onClose, children }: OneProps) {
  const loaded = useLoad(
    () => dataOf(api.GET('/api/v1/usage/{requestId}', { params: { path: { requestId: id } } })),
    [id],
  )
  if (loaded.data) return children(loaded.data, loaded.reload)
  return (
    <Dialog title={words.value.money.usage.details} onClose={onClose}>
      <Loaded of={loaded}>{() => null}</Loaded>
    </Dialog>
  )
}
