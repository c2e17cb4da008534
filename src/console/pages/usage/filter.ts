/** Which requests a page of usage shows. The filter stands in the address. */
import { useMemo } from 'preact/hooks'
import { useQuery } from '../../client/query'
import { usePeriod } from '../../parts/period'

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

export function useUsageFilter() {
  const [key, setKey] = useQuery('key')
  const [voice, setVoice] = useQuery('voice')
  const [status, setStatus] = useQuery('status')
  const [account, setAccount] = useQuery('account')
  const period = usePeriod()

  const filter = useMemo<UsageFilter>(
    () => ({
      ...(key !== '' && { key_id: key }),
      ...(voice !== '' && { voice_id: voice }),
      ...(account !== '' && { account_id: account }),
      ...(statuses.includes(status as Status) && { status: status as Status }),
      ...period.filter,
    }),
    [key, voice, status, account, period.filter],
  )

  return {
    filter,
    isFiltered: Object.keys(filter).length > 0,
    key: [key, setKey],
    voice: [voice, setVoice],
    status: [status, setStatus],
    account: [account, setAccount],
    period,
    clear() {
      for (const set of [setKey, setVoice, setStatus, setAccount]) set('')
      period.choose('')
    },
  } as const
}

export type UsageControls = ReturnType<typeof useUsageFilter>

/** The address of the same requests as CSV. */
export function csvAddress(path: string, filter: UsageFilter): string {
  const query = new URLSearchParams(filter)
  return query.size > 0 ? `${path}?${query}` : path
}
