/** A field for the last day of something. */
import { words } from '../words/words'
import { TextField } from './form'

/** The last second of a local day, as the service takes it; null where no day is chosen. */
export const endOfDay = (day: string): string | null => (day === '' ? null : new Date(`${day}T23:59:59`).toISOString())

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
  const isPast = value !== '' && Date.parse(endOfDay(value)!) < Date.now()
  return (
    <TextField
      type="date"
      name="expires_at"
      label={common.expires}
      hint={common.expiresHint}
      fault={isPast ? common.expiresPast : undefined}
      value={value}
      onValue={onValue}
    />
  )
}
