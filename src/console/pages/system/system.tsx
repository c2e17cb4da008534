/** `/admin/system`: what the server does now, on which machine, and with which settings. */
import { api, dataOf, type Schema } from '../../client/client'
import { usePoll } from '../../client/load'
import { formatAgo, formatDecimal, formatNumber, formatSize, formatTime } from '../../format'
import { Facts } from '../../parts/facts'
import { Badge, Bar, Figure, type Tone } from '../../parts/figures'
import { Card, Page } from '../../parts/page'
import { Loaded } from '../../parts/states'
import { Table, type Column } from '../../parts/table'
import { words } from '../../words/words'
import { ComputeCard } from './compute-card'
import { SettingsCard } from './settings-card'

type SystemState = Schema<'System'>
type Process = SystemState['workers']['processes'][number]

const refreshMs = 3000

export default function System() {
  const { navigation, administration } = words.value
  const state = usePoll(() => dataOf(api.GET('/api/v1/admin/system')), refreshMs)
  return (
    <Page title={navigation.system} lead={administration.system.lead}>
      <Loaded of={state} lines={10}>
        {(system) => (
          <>
            <DiskWarning state={system.disk.state} />
            <Summary of={system} />
            <div class="system-grid">
              <div class="stack">
                <ProcessesCard of={system} />
                <StorageCard of={system.disk} />
              </div>
              <div class="stack">
                <ComputeCard speeds={system.speeds} />
                <VersionsCard of={system} />
              </div>
            </div>
            <SettingsCard settings={system.settings} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

function DiskWarning({ state }: { readonly state: SystemState['disk']['state'] }) {
  const { system } = words.value.administration
  if (state === 'ok') return null
  return (
    <div class={state === 'full' ? 'note bad' : 'note warn'} role="alert">
      <p>{state === 'full' ? system.diskFull : system.diskLow}</p>
    </div>
  )
}

const memoryOf = ({ memory_bytes, workers }: SystemState): number =>
  workers.processes.reduce((sum, process) => sum + process.memory_bytes, memory_bytes)

function Summary({ of }: { readonly of: SystemState }) {
  const { system } = words.value.administration
  const { workers, queue, disk, machine } = of
  const memoryBytes = memoryOf(of)
  const { free_bytes: freeBytes, size_bytes: sizeBytes } = disk
  return (
    <Card>
      <div class="figures">
        <Figure
          name={system.queue}
          value={system.running(formatNumber(queue.running))}
          note={`${system.waiting(formatNumber(queue.waiting))} · ${system.admitted(formatDecimal(queue.admitted_seconds))}`}
        />
        <Measured
          name={system.workers}
          value={system.busyOf(formatNumber(workers.busy), formatNumber(workers.total))}
          used={workers.busy}
          max={workers.total}
        />
        <Measured
          name={system.memory}
          value={formatSize(memoryBytes)}
          note={system.memoryNote(formatSize(machine.memory_bytes))}
          used={memoryBytes}
          max={machine.memory_bytes}
        />
        <Measured
          name={system.disk}
          value={freeBytes === null ? system.unknown : formatSize(freeBytes)}
          note={sizeBytes === null ? undefined : system.diskNote(formatSize(sizeBytes))}
          used={(sizeBytes ?? 0) - (freeBytes ?? 0)}
          max={sizeBytes ?? 0}
          tone={disk.state === 'ok' ? 'plain' : disk.state === 'low' ? 'warn' : 'bad'}
        />
        <Figure name={system.started} value={formatAgo(of.started_at)} note={formatTime(of.started_at)} />
      </div>
    </Card>
  )
}

type MeasuredProps = {
  readonly name: string
  readonly value: string
  readonly note?: string | undefined
  readonly used: number
  readonly max: number
  readonly tone?: Tone
}

/** A figure with a bar that shows how much is used. */
function Measured({ name, value, note, used, max, tone = 'plain' }: MeasuredProps) {
  return (
    <div class="measured">
      <Figure name={name} value={value} note={note} />
      {max > 0 && <Bar label={name} value={used} max={max} tone={tone} />}
    </div>
  )
}

const tones: Record<Process['state'], Tone> = { idle: 'plain', busy: 'good', loading: 'warn' }

function ProcessesCard({ of: { workers, memory_bytes } }: { readonly of: SystemState }) {
  const { system } = words.value.administration
  const columns: readonly Column<Process>[] = [
    { title: system.process, cell: ({ pid }) => <span class="mono">{pid}</span> },
    { title: system.state, cell: ({ state }) => <Badge tone={tones[state]}>{system[state]}</Badge> },
    { title: system.holds, cell: ({ holds }) => <Holding what={holds} /> },
    { title: system.memory, isNumber: true, cell: (process) => formatSize(process.memory_bytes) },
  ]
  return (
    <Card title={system.processes}>
      <Facts of={[{ name: system.main, value: formatSize(memory_bytes) }]} />
      {workers.processes.length > 0 && (
        <Table label={system.processes} columns={columns} rows={workers.processes} keyOf={({ pid }) => String(pid)} />
      )}
    </Card>
  )
}

/** Models are long paths: their end says most. */
function Holding({ what }: { readonly what: string | null }) {
  if (what === null) return <span class="faint">{words.value.administration.system.nothing}</span>
  return <span title={what}>{what.split('/').slice(-2).join('/')}</span>
}

function StorageCard({ of: disk }: { readonly of: SystemState['disk'] }) {
  const { system } = words.value.administration
  return (
    <Card title={system.storage}>
      <Facts
        of={[
          { name: system.database, value: formatSize(disk.database_bytes) },
          {
            name: system.recordings,
            value: system.recordingsNote(formatNumber(disk.recordings), formatSize(disk.recordings_bytes)),
          },
          { name: system.reserve, value: formatSize(disk.min_free_bytes) },
        ]}
      />
    </Card>
  )
}

function VersionsCard({ of: { versions, machine } }: { readonly of: SystemState }) {
  const { system } = words.value.administration
  return (
    <Card title={system.versions}>
      <Facts
        of={[
          { name: 'Sonant', value: versions.sonant },
          { name: system.commit, value: <span class="mono">{versions.commit.slice(0, 12)}</span> },
          { name: 'Bun', value: versions.bun },
          { name: 'ONNX Runtime', value: versions.onnxruntime ?? system.ownRuntime },
          { name: system.platform, value: machine.platform },
          { name: system.cpu, value: system.cores(machine.cpu, formatNumber(machine.cores)) },
        ]}
      />
    </Card>
  )
}
