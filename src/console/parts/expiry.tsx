/** A field for the last day of something. */
import { words } from '../words/words'
import { TextField } from './form'

/** Browsers let people type years of six digits, which the service refuses. */
const lastDay = '9999-12-31'

/** The last second of a local day, as the service takes it; null where no day is chosen that it takes. */
export function endOfDay(day: string): string | null {
  const time = new Date(`${day}T23:59:59`)
  return Number.isNaN(time.getTime()) ? null : time.toISOString()
}

/** The local day of a time, as a date field takes it. */
export function dayOf(iso: string | null): string {
  if (iso === null) return ''
  const time = new Date(iso)
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 10)
}

type Props = {
  /** `2027-06-30`, or '' for never. */
  readonly value: string
  readonly onValue: (day: string) => void
}

export function ExpiryField({ value, onValue }: Props) {
  const { common } = words.value
  const end = endOfDay(value)
  const isPast = end !== null && Date.parse(end) < Date.now()
  return (
    <TextField
      type="date"
      name="expires_at"
      max={lastDay}
      label={common.expires}
      hint={common.expiresHint}
      fault={isPast ? common.expiresPast : undefined}
      value={value}
      onValue={onValue}
    />
  )
}
