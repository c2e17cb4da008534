/** The figures of the whole service, for administrators. */
import { api, dataOf, type Schema } from '../../client/client'
import { useLoad, usePoll } from '../../client/load'
import { formatDuration, formatNumber, formatPercent } from '../../format'
import { at } from '../../installation'
import { LinkButton } from '../../parts/button'
import { DailyChart } from '../../parts/daily-chart'
import { Figure } from '../../parts/figures'
import { Card } from '../../parts/page'
import { Loaded } from '../../parts/states'
import { words } from '../../words/words'

const pollMs = 60_000
const days = 30

export function AllCard() {
  const { overview } = words.value
  const daily = usePoll(() => dataOf(api.GET('/api/v1/admin/usage/daily', { params: { query: { days } } })), pollMs)
  return (
    <Card
      title={overview.wholeService}
      isWide
      actions={<LinkButton href={at('/admin/usage')}>{overview.allUsage}</LinkButton>}
    >
      <Loaded of={daily}>
        {({ days }) => (
          <>
            <div class="figures">
              <Figure name={overview.requests} value={formatNumber(sumOf(days, 'requests'))} />
              <Figure name={overview.charactersSpoken} value={formatNumber(sumOf(days, 'units'))} />
              <Figure name={overview.audio} value={formatDuration(sumOf(days, 'audio_ms'))} />
              <Failed />
            </div>
            <DailyChart label={overview.wholeService} days={days} />
          </>
        )}
      </Loaded>
    </Card>
  )
}

type Day = Schema<'UsageDays'>['days'][number]

const sumOf = (days: readonly Day[], field: 'requests' | 'units' | 'audio_ms') =>
  days.reduce((sum, day) => sum + day[field], 0)

/** Asked once: the service reads every request of these days for it. */
function Failed() {
  const { overview } = words.value
  const totals = useLoad(() => {
    // From the beginning of the first of the days, which are UTC.
    const from = new Date(Date.now() - (days - 1) * 86_400_000).toISOString().slice(0, 10)
    return dataOf(api.GET('/api/v1/admin/usage/totals', { params: { query: { from } } }))
  }, [])
  if (!totals.data) return null
  const { requests, failed } = totals.data
  return (
    <Figure
      name={overview.failed}
      value={formatNumber(failed)}
      note={requests > 0 ? formatPercent(failed / requests) : undefined}
    />
  )
}
