/**
 * Characters of each day as bars, and the same figures as a table. Plain elements instead of a library for charts: they
 * take the colours of the page, grow with it, and need no code to load.
 */
import { useState } from 'preact/hooks'
import type { Schema } from '../client/client'
import { formatDay, formatDuration, formatNumber, formatShort } from '../format'
import { words } from '../words/words'
import { Table } from './table'

type Day = Schema<'UsageDays'>['days'][number]

/** Days are UTC; this is the time at which the reader's language names the same day. */
const nameOf = ({ date }: Day) => formatDay(`${date}T00:00`)

type Props = { readonly label: string; /** Oldest first. */ readonly days: readonly Day[] }

export function DailyChart({ label, days }: Props) {
  const { chart } = words.value
  const [picked, setPicked] = useState<Day>()
  const top = roundUp(Math.max(...days.map(({ units }) => units)))
  const total = days.reduce((sum, { units }) => sum + units, 0)
  const said = picked
    ? chart.ofDay(nameOf(picked), formatNumber(picked.units), formatNumber(picked.requests))
    : chart.ofAll(days.length, formatNumber(total))
  const ends = [days[0], days[Math.floor(days.length / 2)], days.at(-1)]
  return (
    <figure class="chart" aria-label={label}>
      <figcaption class="small faint">{said}</figcaption>
      <div class="chart-plot" aria-hidden="true">
        <div class="chart-scale small faint">
          <span>{formatShort(top)}</span>
          <span>{formatShort(top / 2)}</span>
          <span>0</span>
        </div>
        <div class="chart-days" onPointerLeave={() => setPicked(undefined)}>
          {days.map((day) => (
            <div
              key={day.date}
              class={picked === day ? 'chart-day is-picked' : 'chart-day'}
              onPointerEnter={() => setPicked(day)}
            >
              <span style={{ height: `${(day.units / top) * 100}%` }} />
            </div>
          ))}
        </div>
        <div class="chart-names small faint">{ends.map((day) => day && <span key={day.date}>{nameOf(day)}</span>)}</div>
      </div>
      <details>
        <summary class="small">{chart.asTable}</summary>
        <Table
          label={label}
          rows={[...days].reverse()}
          keyOf={({ date }) => date}
          columns={[
            { title: chart.day, cell: nameOf },
            { title: chart.characters, cell: ({ units }) => formatNumber(units), isNumber: true },
            { title: chart.requests, cell: ({ requests }) => formatNumber(requests), isNumber: true },
            { title: chart.audio, cell: ({ audio_ms }) => formatDuration(audio_ms), isNumber: true },
          ]}
        />
      </details>
    </figure>
  )
}

/** The next number of the form 2, 4, 6, 8 or 10 times a power of ten, so that its half is round, too. */
function roundUp(value: number): number {
  if (value <= 10) return 10
  const power = 10 ** Math.floor(Math.log10(value))
  return Math.ceil(value / power / 2) * 2 * power
}
