/** `/admin/codes`: activation codes, to make and to void. */
import { Ban, Plus, Ticket } from 'lucide'
import { useState } from 'preact/hooks'
import { api, dataOf } from '../../client/client'
import { usePages } from '../../client/load'
import { formatAgo, formatDay, formatNumber } from '../../format'
import { at } from '../../installation'
import { Button, IconButton } from '../../parts/button'
import { ask } from '../../parts/dialog'
import { Badge, type Tone } from '../../parts/figures'
import { Card, Page } from '../../parts/page'
import { Empty } from '../../parts/states'
import { EndlessList, Table, type Column } from '../../parts/table'
import { toast } from '../../parts/toast'
import { words } from '../../words/words'
import { MadeCodesDialog, NewCodesDialog, type Code } from './new-codes'

export default function Codes() {
  const { navigation, administration } = words.value
  const { codes } = administration
  const [isCreating, setCreating] = useState(false)
  const [made, setMade] = useState<readonly Code[] | undefined>(undefined)
  const list = usePages((cursor) => dataOf(api.GET('/api/v1/admin/codes', { params: { query: { cursor } } })), [])

  function show(codes: readonly Code[]): void {
    setCreating(false)
    setMade(codes)
    list.reload()
  }

  async function voidCode({ id }: Code): Promise<void> {
    const changed = await dataOf(api.POST('/api/v1/admin/codes/{id}/void', { params: { path: { id } } }))
    list.update((items) => items.map((each) => (each.id === id ? changed : each)))
    toast(codes.voided)
  }

  return (
    <Page
      title={navigation.codes}
      lead={codes.lead}
      actions={
        <Button kind="primary" icon={Plus} onClick={() => setCreating(true)}>
          {codes.create}
        </Button>
      }
    >
      <Card>
        <EndlessList
          of={list}
          empty={
            <Empty icon={Ticket} title={codes.none}>
              <p>{codes.noneText}</p>
            </Empty>
          }
        >
          {(items) => <CodeTable items={items} onVoid={voidCode} />}
        </EndlessList>
      </Card>
      {isCreating && <NewCodesDialog onClose={() => setCreating(false)} onMade={show} />}
      {made && <MadeCodesDialog made={made} onClose={() => setMade(undefined)} />}
    </Page>
  )
}

type State = Code['status'] | 'expired'

const tones: Record<State, Tone> = { unused: 'good', used: 'plain', void: 'bad', expired: 'warn' }

function stateOf({ status, expires_at }: Code): State {
  return status === 'unused' && expires_at !== null && Date.parse(expires_at) < Date.now() ? 'expired' : status
}

type TableProps = { readonly items: readonly Code[]; readonly onVoid: (code: Code) => Promise<void> }

function CodeTable({ items, onVoid }: TableProps) {
  const { money, administration } = words.value
  const { codes } = administration
  const columns: readonly Column<Code>[] = [
    { title: codes.code, cell: ({ code }) => <span class="mono">{code}</span> },
    { title: codes.characters, isNumber: true, cell: ({ units }) => formatNumber(units) },
    { title: codes.status, cell: (code) => <CodeState code={code} /> },
    { title: codes.note, cell: ({ note }) => note ?? <span class="faint">–</span> },
    { title: codes.made_at, cell: ({ created_at }) => <span class="faint nowrap">{formatDay(created_at)}</span> },
    {
      title: codes.expires,
      cell: ({ expires_at }) => (
        <span class="faint nowrap">{expires_at ? formatDay(expires_at) : money.keys.expiresNever}</span>
      ),
    },
  ]
  const askVoid = (code: Code) =>
    ask({
      title: codes.voidTitle(code.code),
      text: <p>{codes.voidText}</p>,
      action: codes.voidAction,
      run: () => onVoid(code),
    })
  return (
    <Table
      label={codes.list}
      columns={columns}
      rows={items}
      keyOf={({ id }) => id}
      actions={(code) =>
        code.status === 'unused' && (
          <IconButton icon={Ban} label={`${codes.voidAction}: ${code.code}`} onClick={() => askVoid(code)} />
        )
      }
    />
  )
}

/** A used code leads to the account that has its characters. */
function CodeState({ code }: { readonly code: Code }) {
  const { codes } = words.value.administration
  const state = stateOf(code)
  if (code.used_by !== null && code.used_at !== null)
    return <a href={at(`/admin/accounts/${code.used_by}`)}>{codes.usedBy(formatAgo(code.used_at))}</a>
  return <Badge tone={tones[state]}>{codes[state]}</Badge>
}
