/** A period of days, which stands in the address: the last days, or from one day to another. */
import { useMemo } from 'preact/hooks'
import { useQuery } from '../client/query'
import { words } from '../words/words'
import { SelectField, TextField } from './form'

/** The last days, today included. */
const choices = [1, 7, 30, 90] as const
const dayPattern = /^\d{4}-\d\d-\d\d$/

/** The first moment of a day where the reader is, `days` later; undefined where the address holds no day. */
function startOf(day: string, days = 0): string | undefined {
  const time = new Date(`${day}T00:00`)
  if (!dayPattern.test(day) || Number.isNaN(time.getTime())) return undefined
  time.setDate(time.getDate() + days)
  return time.toISOString()
}

function startOfLast(days: number): string {
  const time = new Date()
  time.setHours(0, 0, 0, 0)
  time.setDate(time.getDate() - days + 1)
  return time.toISOString()
}

export function usePeriod() {
  const [from, setFrom] = useQuery('from')
  const [to, setTo] = useQuery('to')
  const [chosen, setChosen] = useQuery('period')
  const period = chosen === '' && (from !== '' || to !== '') ? 'own' : chosen
  /** As the operations of the service take it: `from` is inclusive, `to` exclusive. */
  const filter = useMemo(() => {
    const days = choices.find((each) => String(each) === period)
    const start = days ? startOfLast(days) : period === 'own' ? startOf(from) : undefined
    const end = period === 'own' ? startOf(to, 1) : undefined
    return { ...(start && { from: start }), ...(end && { to: end }) }
  }, [from, to, period])
  const choose = (next: string) => {
    if (next !== 'own') {
      setFrom('')
      setTo('')
    }
    setChosen(next)
  }
  return { filter, from, setFrom, to, setTo, period, choose }
}

export type Period = ReturnType<typeof usePeriod>

export function PeriodFields({ of: { from, setFrom, to, setTo, period, choose } }: { readonly of: Period }) {
  const said = words.value.period
  return (
    <>
      <SelectField
        label={said.period}
        name="period"
        value={period}
        onValue={choose}
        options={[
          { value: '', label: said.always },
          ...choices.map((days) => ({ value: String(days), label: days === 1 ? said.today : said.lastDays(days) })),
          { value: 'own', label: said.own },
        ]}
      />
      {period === 'own' && (
        <>
          <TextField type="date" label={said.from} name="from" value={from} onValue={setFrom} />
          <TextField
            type="date"
            label={said.to}
            name="to"
            fault={from !== '' && to !== '' && to < from ? said.endsBefore : undefined}
            value={to}
            onValue={setTo}
          />
        </>
      )}
    </>
  )
}
