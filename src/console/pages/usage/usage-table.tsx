/** Requests of the history, page after page, with their totals. */
import { Info, Search } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useCallback, useMemo, useRef } from 'preact/hooks'
import type { Schema } from '../../client/client'
import type { Load, Pages } from '../../client/load'
import { formatDuration, formatNumber, formatTime } from '../../format'
import { Button, IconButton } from '../../parts/button'
import { Badge, Figure, type Tone } from '../../parts/figures'
import { Empty, Loaded } from '../../parts/states'
import { EndlessList, Table, type Column } from '../../parts/table'
import { ListenButton } from '../../parts/listen'
import { words, type Words } from '../../words/words'
import type { UsageControls } from './filter'
import type { Names } from './names'
import { useSoundFaultToast } from './sound-fault'

export type UsageRecord = Schema<'UsageRecord'>

const tones: Record<UsageRecord['status'], Tone> = {
  charged: 'good',
  partial: 'warn',
  uncharged: 'warn',
  failed: 'bad',
}

export function UsageStatus({ of: { status } }: { readonly of: UsageRecord }) {
  return <Badge tone={tones[status]}>{words.value.money.usage.statuses[status]}</Badge>
}

export function UsageTotals({ of }: { readonly of: Load<Schema<'UsageTotals'>> }) {
  const { usage } = words.value.money
  return (
    <Loaded of={of} lines={2}>
      {({ requests, characters, units, audio_ms, failed }) => (
        <div class="figures" aria-busy={of.isLoading}>
          <Figure name={usage.requests} value={formatNumber(requests)} />
          <Figure name={usage.characters} value={formatNumber(characters)} />
          <Figure name={usage.units} value={formatNumber(units)} />
          <Figure name={usage.audio} value={formatDuration(audio_ms)} />
          <Figure
            name={usage.failed}
            value={<span class={failed > 0 ? 'bad-text' : ''}>{formatNumber(failed)}</span>}
          />
        </div>
      )}
    </Loaded>
  )
}

type Props<Row> = {
  readonly of: Pages<Row>
  readonly controls: UsageControls
  readonly voices: Names
  /** Who made the request; the same object as long as its cells stay the same. */
  readonly who: Column<Row>
  readonly onDetails: (row: Row) => void
  /** In place of a history without requests. */
  readonly empty: ComponentChildren
}

export function UsageTable<Row extends UsageRecord>({ of, controls, voices, who, onDetails, empty }: Props<Row>) {
  const { money, navigation } = words.value
  const { usage } = money
  const columns = useMemo(() => columnsOf(usage, voices, who), [usage, voices, who])
  const showDetails = useRef(onDetails)
  showDetails.current = onDetails
  const actions = useCallback(
    (row: Row) => (
      <div class="usage-actions">
        {row.url && <ListenButton url={row.url} name={usage.audioOf(formatTime(row.created_at))} />}
        <IconButton icon={Info} label={usage.details} onClick={() => showDetails.current(row)} />
      </div>
    ),
    [usage],
  )
  useSoundFaultToast()
  const nothing = controls.isFiltered ? (
    <Empty icon={Search} title={usage.noMatch}>
      <Button onClick={controls.clear}>{usage.clear}</Button>
    </Empty>
  ) : (
    empty
  )
  return (
    <EndlessList of={of} empty={nothing}>
      {(items) => (
        <Table
          label={navigation.usage}
          columns={columns}
          rows={items}
          keyOf={({ request_id }) => request_id}
          actions={actions}
        />
      )}
    </EndlessList>
  )
}

type UsageWords = Words['money']['usage']

function columnsOf<Row extends UsageRecord>(usage: UsageWords, voices: Names, who: Column<Row>): Column<Row>[] {
  return [
    { title: usage.time, cell: ({ created_at }) => formatTime(created_at) },
    {
      title: usage.voice,
      cell: ({ voice_id, kind }) => (
        <>
          {voices.get(voice_id) ?? voice_id} {kind === 'clone' && <Badge>{usage.clone}</Badge>}
        </>
      ),
    },
    who,
    { title: usage.characters, cell: ({ characters }) => formatNumber(characters), isNumber: true, isMinor: true },
    { title: usage.units, cell: ({ units }) => formatNumber(units), isNumber: true },
    {
      title: usage.audio,
      cell: ({ audio_ms }) => (audio_ms === null ? '–' : formatDuration(audio_ms)),
      isNumber: true,
      isMinor: true,
    },
    { title: usage.status, cell: (row) => <UsageStatus of={row} /> },
  ]
}
