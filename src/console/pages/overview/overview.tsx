/** The state of the account and of the service at a glance, and for a new account the first sentence. */
import { useEffect, useRef } from 'preact/hooks'
import { api, dataOf, type Schema } from '../../client/client'
import { useLoad, usePoll, type Load } from '../../client/load'
import { useIsAdministrator } from '../../client/session'
import { DailyChart } from '../../parts/daily-chart'
import { Card, Page } from '../../parts/page'
import { Loaded } from '../../parts/states'
import { words } from '../../words/words'
import { remaining } from '../speak/takes'
import { AllCard } from './all-card'
import { BalanceCard, sayForecast } from './balance-card'
import { FirstSentence } from './first-sentence'
import { forecast, type Forecast } from './forecast'
import { RecentCard } from './recent-card'
import { ServiceCard } from './service-card'
import { Warnings, type Warning } from './warnings'

const chartDays = 30
const recentCount = 6
const usagePollMs = 30_000
const statusPollMs = 5000

export default function Overview() {
  const { overview, navigation } = words.value
  const isAdministrator = useIsAdministrator()
  const balance = usePoll(() => dataOf(api.GET('/api/v1/balance')), usagePollMs)
  const daily = usePoll(
    () => dataOf(api.GET('/api/v1/usage/daily', { params: { query: { days: chartDays } } })),
    usagePollMs,
  )
  const records = usePoll(
    () => dataOf(api.GET('/api/v1/usage', { params: { query: { limit: recentCount } } })),
    usagePollMs,
  )
  const status = usePoll(() => dataOf(api.GET('/api/v1/status')), statusPollMs)
  const voices = useLoad(() => dataOf(api.GET('/api/v1/voices')), [])

  // A take on this page changes them.
  useEffect(() => {
    if (remaining.value === undefined) return
    for (const each of [balance, daily, records]) each.reload()
  }, [remaining.value])

  // The way to the first sentence stays while this page is open.
  const isNew = useRef<boolean>(undefined)
  if (records.data && isNew.current === undefined) isNew.current = records.data.records.length === 0
  const voice = voices.data?.voices[0]
  const names = new Map(voices.data?.voices.map(({ id, display_name }) => [id, display_name]))
  const expected = balance.data && daily.data ? forecast(balance.data.balance, daily.data.days, Date.now()) : undefined
  return (
    <Page title={navigation.overview} lead={overview.lead}>
      <Warnings of={warningsOf({ balance, expected, status, voices: voices.data?.voices ?? [], isAdministrator })} />
      {isNew.current && voice && <FirstSentence voice={voice} />}
      <div class="overview">
        {balance.data ? (
          <BalanceCard balance={balance.data.balance} forecast={expected} />
        ) : (
          <Card title={overview.balance}>
            <Loaded of={balance}>{() => null}</Loaded>
          </Card>
        )}
        <Card title={overview.perDay}>
          <Loaded of={daily}>{({ days }) => <DailyChart label={overview.perDay} days={days} />}</Loaded>
        </Card>
        <RecentCard records={records} names={names} />
        <ServiceCard status={status} isAdministrator={isAdministrator} />
        {isAdministrator && <AllCard />}
      </div>
    </Page>
  )
}

type Known = {
  readonly balance: Load<Schema<'Balance'>>
  readonly expected: Forecast | undefined
  readonly status: Load<Schema<'Status'>>
  readonly voices: readonly Schema<'Voice'>[]
  readonly isAdministrator: boolean
}

function warningsOf({ balance, expected, status, voices, isAdministrator }: Known): Warning[] {
  const { overview, navigation } = words.value
  const warnings: Warning[] = []
  const toSystem = isAdministrator && { link: { path: '/admin/system', label: overview.toSystem } }
  if (balance.data && expected && expected.tone !== 'good')
    warnings.push({
      key: 'balance',
      tone: expected.tone,
      text: sayForecast(balance.data.balance, expected),
      more: overview.balanceAdvice,
      link: { path: '/balance', label: overview.addCode },
    })
  const storage = status.data?.storage ?? 'ok'
  if (storage !== 'ok')
    warnings.push({
      key: 'disk',
      tone: storage === 'full' ? 'bad' : 'warn',
      text: storage === 'full' ? overview.diskFull : overview.diskLow,
      more: isAdministrator ? overview.diskAdvice : overview.askAdministrator,
      ...toSystem,
    })
  if (status.data?.compute?.fallback && isAdministrator)
    warnings.push({ key: 'compute', tone: 'warn', text: overview.fallbackText, ...toSystem })
  const slow = voices.filter((voice) => voice.slow)
  if (slow.length > 0)
    warnings.push({
      key: 'slow',
      tone: 'warn',
      text: overview.slowVoices(
        slow.slice(0, 3).map((voice) => voice.display_name),
        slow.length,
      ),
      more: isAdministrator ? overview.slowAdvice : overview.slowAdviceForUsers,
      ...(isAdministrator && { link: { path: '/admin/packs', label: navigation.packs } }),
    })
  return warnings
}
