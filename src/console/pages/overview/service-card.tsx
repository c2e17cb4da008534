/** How busy the service is now. */
import type { Schema } from '../../client/client'
import type { Load } from '../../client/load'
import { formatNumber } from '../../format'
import { at } from '../../installation'
import { LinkButton } from '../../parts/button'
import { ErrorNote } from '../../parts/errors'
import { Badge, Bar, type Tone } from '../../parts/figures'
import { Card } from '../../parts/page'
import { Loaded } from '../../parts/states'
import { words } from '../../words/words'

type Status = Schema<'Status'>
type Props = { readonly status: Load<Status>; readonly isAdministrator: boolean }

const storageTones: Record<Status['storage'], Tone> = { ok: 'good', low: 'warn', full: 'bad' }

export function ServiceCard({ status, isAdministrator }: Props) {
  const { overview } = words.value
  const link = isAdministrator && <LinkButton href={at('/admin/system')}>{overview.toSystem}</LinkButton>
  return (
    <Card title={overview.service} actions={link}>
      {/* An old state would be wrong while the server does not answer. */}
      {status.error ? <ErrorNote error={status.error} onRetry={status.reload} /> : <State of={status} />}
    </Card>
  )
}

function State({ of }: { readonly of: Load<Status> }) {
  const { overview } = words.value
  return (
    <Loaded of={of}>
      {({ queue, workers, compute, storage }) => (
        <dl class="service">
          <div>
            <dt>{overview.workers}</dt>
            <dd>
              {overview.busyOf(formatNumber(workers.busy), formatNumber(workers.total))}
              <Bar label={overview.workers} value={workers.busy} max={workers.total} />
            </dd>
          </div>
          <div>
            <dt>{overview.queue}</dt>
            <dd>
              {queue.waiting === 0
                ? overview.nothingWaits
                : overview.waiting(formatNumber(queue.waiting), queue.waiting)}
            </dd>
          </div>
          <div>
            <dt>{overview.engine}</dt>
            <dd>
              {compute === null ? overview.engineSleeps : overview.computes(compute.provider.toUpperCase())}{' '}
              {compute?.fallback && <Badge tone="warn">{overview.fallback}</Badge>}
            </dd>
          </div>
          <div>
            <dt>{overview.disk}</dt>
            <dd>
              <Badge tone={storageTones[storage]}>{overview.storage[storage]}</Badge>
            </dd>
          </div>
        </dl>
      )}
    </Loaded>
  )
}
