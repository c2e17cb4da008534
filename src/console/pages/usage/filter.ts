/** Which requests a page of usage shows. The filter stands in the address. */
import { useMemo } from 'preact/hooks'
import { useQuery } from '../../client/query'

/** As the operations of the service take it. */
export type UsageFilter = {
  readonly key_id?: string
  readonly voice_id?: string
  readonly status?: Status
  readonly from?: string
  readonly to?: string
  readonly account_id?: string
}

export const statuses = ['charged', 'partial', 'uncharged', 'failed'] as const
export type Status = (typeof statuses)[number]

/** The last days, today included. */
export const periods = [1, 7, 30, 90] as const

const dayPattern = /^\d{4}-\d\d-\d\d$/

/** The first moment of a day where the reader is, `days` later; undefined where the address holds no day. */
function startOf(day: string, days = 0): string | undefined {
  if (!dayPattern.test(day)) return undefined
  const time = new Date(`${day}T00:00`)
  if (Number.isNaN(time.getTime())) return undefined
  time.setDate(time.getDate() + days)
  return time.toISOString()
}

function startOfLast(days: number): string {
  const time = new Date()
  time.setHours(0, 0, 0, 0)
  time.setDate(time.getDate() - days + 1)
  return time.toISOString()
}

export function useUsageFilter() {
  const [key, setKey] = useQuery('key')
  const [voice, setVoice] = useQuery('voice')
  const [status, setStatus] = useQuery('status')
  const [account, setAccount] = useQuery('account')
  const [from, setFrom] = useQuery('from')
  const [to, setTo] = useQuery('to')
  const [chosen, setPeriod] = useQuery('period')
  const period = chosen === '' && (from !== '' || to !== '') ? 'own' : chosen

  const filter = useMemo<UsageFilter>(() => {
    const days = periods.find((each) => String(each) === period)
    const start = days ? startOfLast(days) : period === 'own' ? startOf(from) : undefined
    const end = period === 'own' ? startOf(to, 1) : undefined
    return {
      ...(key !== '' && { key_id: key }),
      ...(voice !== '' && { voice_id: voice }),
      ...(account !== '' && { account_id: account }),
      ...(statuses.includes(status as Status) && { status: status as Status }),
      ...(start && { from: start }),
      ...(end && { to: end }),
    }
  }, [key, voice, status, account, from, to, period])

  return {
    filter,
    isFiltered: Object.keys(filter).length > 0,
    key: [key, setKey],
    voice: [voice, setVoice],
    status: [status, setStatus],
    account: [account, setAccount],
    from: [from, setFrom],
    to: [to, setTo],
    period: [period, setPeriod],
    clear: () => [setKey, setVoice, setStatus, setAccount, setFrom, setTo, setPeriod].forEach((set) => set('')),
  } as const
}

export type UsageControls = ReturnType<typeof useUsageFilter>

/** The address of the same requests as CSV. */
export function csvAddress(path: string, filter: UsageFilter): string {
  const query = new URLSearchParams(filter)
  return query.size > 0 ? `${path}?${query}` : path
}
