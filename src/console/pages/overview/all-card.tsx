/** The figures of the whole service, for administrators. */
import { api, dataOf } from '../../client/client'
import { usePoll } from '../../client/load'
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
  const totals = usePoll(() => {
    // From the beginning of the first of the days, which are UTC.
    const from = new Date(Date.now() - (days - 1) * 86_400_000).toISOString().slice(0, 10)
    return dataOf(api.GET('/api/v1/admin/usage/totals', { params: { query: { from } } }))
  }, pollMs)
  return (
    <Card
      title={overview.wholeService}
      isWide
      actions={<LinkButton href={at('/admin/usage')}>{overview.allUsage}</LinkButton>}
    >
      <Loaded of={totals} lines={2}>
        {({ requests, units, audio_ms, failed }) => (
          <div class="figures">
            <Figure name={overview.requests} value={formatNumber(requests)} />
            <Figure name={overview.charactersSpoken} value={formatNumber(units)} />
            <Figure name={overview.audio} value={formatDuration(audio_ms)} />
            <Figure
              name={overview.failed}
              value={formatNumber(failed)}
              note={requests > 0 ? formatPercent(failed / requests) : undefined}
            />
          </div>
        )}
      </Loaded>
      <Loaded of={daily}>{({ days }) => <DailyChart label={overview.wholeService} days={days} />}</Loaded>
    </Card>
  )
}
