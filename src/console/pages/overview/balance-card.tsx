/** The balance as a gauge, and when it runs out at the present pace. */
import { formatDay, formatNumber, formatShort } from '../../format'
import { at } from '../../installation'
import { LinkButton } from '../../parts/button'
import { Gauge } from '../../parts/figures'
import { Card } from '../../parts/page'
import { words } from '../../words/words'
import type { Forecast } from './forecast'

type Props = {
  readonly balance: number
  /** Undefined while the use of the last days is not known. */
  readonly forecast: Forecast | undefined
}

/** Longer forecasts say nothing. */
const daysSaidMax = 365
const dayMs = 86_400_000

export function BalanceCard({ balance, forecast }: Props) {
  const { overview, common } = words.value
  return (
    <Card title={overview.balance} actions={<LinkButton href={at('/balance')}>{overview.addCode}</LinkButton>}>
      <Gauge
        label={overview.balanceOf(common.characters(formatNumber(balance)))}
        ratio={forecast?.ratio ?? 0}
        tone={forecast?.tone ?? 'plain'}
      >
        <strong>{balance < 1_000_000 ? formatNumber(balance) : formatShort(balance)}</strong>
        <span class="faint small">{overview.charactersLeft}</span>
      </Gauge>
      {forecast && <p class="centred">{sayForecast(balance, forecast)}</p>}
      {forecast && forecast.pace > 0 && (
        <p class="centred faint small">{overview.pace(formatNumber(Math.round(forecast.pace)))}</p>
      )}
    </Card>
  )
}

export function sayForecast(balance: number, { daysLeft }: Forecast): string {
  const { overview } = words.value
  if (balance <= 0) return overview.usedUp
  if (daysLeft === undefined) return overview.noPace
  if (daysLeft > daysSaidMax) return overview.lastsLong
  const days = Math.floor(daysLeft)
  if (days < 1) return overview.lastsToday
  return overview.lasts(formatDay(new Date(Date.now() + daysLeft * dayMs).toISOString()), days)
}
