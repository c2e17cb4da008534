/** The cloned voices of an account. */
import { FileX, Mic, RefreshCw, Trash2 } from 'lucide'
import { api, dataOf, type Schema } from '../../client/client'
import { useLoad } from '../../client/load'
import { formatDay, formatDecimal, formatLanguage } from '../../format'
import { IconButton } from '../../parts/button'
import { ask } from '../../parts/dialog'
import { Badge } from '../../parts/figures'
import { ListenButton } from '../../parts/listen'
import { LongList } from '../../parts/long-list'
import { Card } from '../../parts/page'
import { Empty, Loaded } from '../../parts/states'
import { Table, type Column } from '../../parts/table'
import { toast } from '../../parts/toast'
import { words } from '../../words/words'

type Clone = Schema<'ManagedCloneList'>['items'][number]

export function ClonesCard({ accountId }: { readonly accountId: string }) {
  const { clones } = words.value.administration
  const params = { query: { account_id: accountId } }
  const list = useLoad(() => dataOf(api.GET('/api/v1/admin/clones', { params })), [accountId])
  return (
    <Card title={clones.title}>
      <Loaded of={list}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon={Mic} title={clones.none} />
          ) : (
            <LongList of={items}>{(shown) => <CloneTable items={shown} onChanged={list.reload} />}</LongList>
          )
        }
      </Loaded>
    </Card>
  )
}

type TableProps = { readonly items: readonly Clone[]; readonly onChanged: () => void }

function CloneTable({ items, onChanged }: TableProps) {
  const { clones } = words.value.administration

  async function remove(id: string): Promise<void> {
    await dataOf(api.DELETE('/api/v1/admin/clones/{id}', { params: { path: { id } } }))
    toast(clones.deleted)
    onChanged()
  }

  async function purge(id: string): Promise<void> {
    await dataOf(api.POST('/api/v1/admin/clones/{id}/purge', { params: { path: { id } } }))
    toast(clones.purgeDone)
    onChanged()
  }

  async function renew(id: string): Promise<void> {
    await dataOf(api.POST('/api/v1/admin/clones/{id}/re-enrol', { params: { path: { id } } }))
    toast(clones.renewed)
    onChanged()
  }

  const columns: readonly Column<Clone>[] = [
    { title: clones.name, cell: ({ display_name }) => <span class="strong">{display_name}</span> },
    { title: clones.language, cell: ({ language }) => formatLanguage(language) },
    { title: clones.method, cell: ({ method }) => clones[method] },
    {
      title: clones.recording,
      cell: ({ has_recording, duration_sec }) =>
        has_recording ? clones.kept(formatDecimal(duration_sec)) : <Badge>{clones.purged}</Badge>,
    },
    { title: clones.created, cell: ({ created_at }) => <span class="faint nowrap">{formatDay(created_at)}</span> },
  ]
  const askRemove = ({ id, display_name }: Clone) =>
    ask({
      title: clones.deleteTitle(display_name),
      text: <p>{clones.deleteText}</p>,
      action: clones.delete,
      run: () => remove(id),
    })
  const askPurge = ({ id, display_name }: Clone) =>
    ask({
      title: clones.purgeTitle(display_name),
      text: <p>{clones.purgeText}</p>,
      action: clones.purge,
      run: () => purge(id),
    })
  const askRenew = ({ id, display_name }: Clone) =>
    ask({
      title: clones.renewTitle(display_name),
      text: <p>{clones.renewText}</p>,
      action: clones.renew,
      run: () => renew(id),
    })
  return (
    <Table
      label={clones.list}
      columns={columns}
      rows={items}
      keyOf={({ id }) => id}
      actions={(clone) => (
        <>
          <ListenButton url={clone.demo_url} name={clone.display_name} />
          {clone.has_recording && (
            <>
              <IconButton
                icon={RefreshCw}
                label={`${clones.renew}: ${clone.display_name}`}
                onClick={() => askRenew(clone)}
              />
              <IconButton
                icon={FileX}
                label={`${clones.purge}: ${clone.display_name}`}
                onClick={() => askPurge(clone)}
              />
            </>
          )}
          <IconButton
            icon={Trash2}
            label={`${clones.delete}: ${clone.display_name}`}
            onClick={() => askRemove(clone)}
          />
        </>
      )}
    />
  )
}
