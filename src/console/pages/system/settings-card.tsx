/** The settings in force, and where each comes from. */
import type { Schema } from '../../client/client'
import { useQuery } from '../../client/query'
import { formatNumber, formatSize } from '../../format'
import { Badge } from '../../parts/figures'
import { CheckField } from '../../parts/form'
import { Card } from '../../parts/page'
import { Empty } from '../../parts/states'
import { Table, type Column } from '../../parts/table'
import { words } from '../../words/words'

type Setting = Schema<'System'>['settings'][number]

export function SettingsCard({ settings }: { readonly settings: readonly Setting[] }) {
  const { system } = words.value.administration
  const [which, setWhich] = useQuery('settings')
  const set = settings.filter(({ source }) => source !== 'default')
  const shown = which === 'set' ? set : [...set, ...settings.filter(({ source }) => source === 'default')]
  const columns: readonly Column<Setting>[] = [
    { title: system.setting, cell: ({ name }) => <code>--{name}</code> },
    { title: system.value, cell: (setting) => <Value of={setting} /> },
    { title: system.source, cell: ({ source }) => <Source of={source} /> },
  ]
  return (
    <Card
      title={system.settings}
      actions={
        <CheckField
          label={system.onlyChanged}
          isChecked={which === 'set'}
          onCheck={(isChecked) => setWhich(isChecked ? 'set' : '')}
        />
      }
    >
      <p class="faint small">{system.settingsText}</p>
      {shown.length === 0 ? (
        <Empty title={system.noneSet} />
      ) : (
        <Table label={system.settings} columns={columns} rows={shown} keyOf={({ name }) => name} />
      )}
    </Card>
  )
}

function Value({ of: { name, value } }: { readonly of: Setting }) {
  const { common, administration } = words.value
  if (value === null) return <span class="faint">{administration.system.notSet}</span>
  if (typeof value === 'boolean') return <>{value ? common.yes : common.no}</>
  if (typeof value === 'string') return <code>{value}</code>
  if (name.endsWith('-bytes')) return <span title={formatNumber(value)}>{formatSize(value)}</span>
  return <>{name === 'port' ? value : formatNumber(value)}</>
}

function Source({ of }: { readonly of: Setting['source'] }) {
  const { system } = words.value.administration
  if (of === 'default') return <span class="faint">{system.default}</span>
  if (of === 'sonant.toml') return <Badge tone="good">sonant.toml</Badge>
  return <Badge tone="good">{system[of]}</Badge>
}
