/** The device of the neural voices, its models in memory, and the speeds that were measured. */
import { Cpu } from 'lucide'
import { api, dataOf, type Schema } from '../../client/client'
import { usePoll } from '../../client/load'
import { formatDecimal, formatDuration, formatNumber, formatSize } from '../../format'
import { Facts } from '../../parts/facts'
import { Badge } from '../../parts/figures'
import { Card } from '../../parts/page'
import { Empty, Loaded } from '../../parts/states'
import { words } from '../../words/words'

type Compute = NonNullable<Schema<'Compute'>['compute']>
type Props = { readonly speeds: Schema<'System'>['speeds'] }

const refreshMs = 10_000

export function ComputeCard({ speeds }: Props) {
  const { system } = words.value.administration
  const state = usePoll(() => dataOf(api.GET('/api/v1/admin/compute')), refreshMs)
  return (
    <Card title={system.compute}>
      <Loaded of={state}>
        {({ compute, models }) => (
          <>
            {compute ? (
              <Device of={compute} />
            ) : (
              <Empty icon={Cpu} title={system.computeNone}>
                <p>{system.computeNoneText}</p>
              </Empty>
            )}
            {models.length > 0 && (
              <>
                <h3>{system.models}</h3>
                <Facts
                  of={models.map(({ name, processes, memory_bytes }) => ({
                    name,
                    value: `${formatSize(memory_bytes)} ${system.modelNote(formatNumber(processes))}`,
                  }))}
                />
              </>
            )}
          </>
        )}
      </Loaded>
      {speeds.length > 0 && (
        <>
          <h3>{system.speeds}</h3>
          <p class="faint small">{system.factor}</p>
          <Facts
            of={speeds.map(({ engine, model, real_time_factor }) => ({
              name: `${engine} · ${model?.split('/').at(-1) ?? system.builtIn}`,
              value: system.seconds(formatDecimal(real_time_factor)),
            }))}
          />
        </>
      )}
    </Card>
  )
}

function Device({ of: { provider, device, fallback, threads, trials } }: { readonly of: Compute }) {
  const { system } = words.value.administration
  return (
    <>
      {fallback && (
        <div class="note warn">
          <p>{system.fallback}</p>
        </div>
      )}
      <Facts
        of={[
          { name: system.device, value: device },
          { name: system.provider, value: <Badge tone="good">{provider}</Badge> },
          { name: system.threads, value: formatNumber(threads) },
        ]}
      />
      {trials.length > 0 && (
        <>
          <h3>{system.trials}</h3>
          <Facts
            of={trials.map(({ provider: tried, failure, run_ms, duration_ms }) => ({
              name: tried,
              value: (
                <span title={system.trialTook(formatDuration(duration_ms))}>
                  {failure ?? system.trialWorks(`${formatDecimal(run_ms ?? 0)} ms`)}
                </span>
              ),
            }))}
          />
        </>
      )}
    </>
  )
}
