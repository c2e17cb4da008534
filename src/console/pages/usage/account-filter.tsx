/** Chooses one account of all, by a search. */
import { Users } from 'lucide'
import { useState } from 'preact/hooks'
import { api, dataOf, type Schema } from '../../client/client'
import { useLoad, usePages } from '../../client/load'
import { Button } from '../../parts/button'
import { Dialog } from '../../parts/dialog'
import { SearchField } from '../../parts/search'
import { Empty } from '../../parts/states'
import { EndlessList } from '../../parts/table'
import { words } from '../../words/words'

type Props = {
  /** The id of the account, or '' for all. */
  readonly value: string
  readonly onValue: (id: string) => void
}

export function AccountFilter({ value, onValue }: Props) {
  const { usage } = words.value.money
  const [isOpen, setOpen] = useState(false)
  const chosen = useLoad(
    async () => value && dataOf(api.GET('/api/v1/admin/accounts/{id}', { params: { path: { id: value } } })),
    [value],
  )
  const name = value === '' ? usage.allAccounts : chosen.data ? chosen.data.name : value
  const choose = (id: string) => {
    setOpen(false)
    onValue(id)
  }
  return (
    <div class="field">
      <span class="legend">{usage.account}</span>
      <Button
        icon={Users}
        aria-haspopup="dialog"
        aria-label={`${usage.account}: ${name}`}
        onClick={() => setOpen(true)}
      >
        {name}
      </Button>
      {isOpen && <ChooseAccount onChoose={choose} onClose={() => setOpen(false)} />}
    </div>
  )
}

type ChooseProps = { readonly onChoose: (id: string) => void; readonly onClose: () => void }

function ChooseAccount({ onChoose, onClose }: ChooseProps) {
  const { usage } = words.value.money
  const [searched, setSearched] = useState('')
  const found = usePages<Schema<'Account'>>(
    (cursor) => {
      const query = { ...(searched && { q: searched }), ...(cursor && { cursor }) }
      return dataOf(api.GET('/api/v1/admin/accounts', { params: { query } }))
    },
    [searched],
  )
  return (
    <Dialog title={usage.chooseAccount} onClose={onClose}>
      <div class="stack">
        <SearchField label={usage.searchAccount} value={searched} onSearch={setSearched} />
        <div class="choices">
          <Button kind="quiet" onClick={() => onChoose('')}>
            {usage.allAccounts}
          </Button>
          <EndlessList of={found} empty={<Empty title={usage.noAccount} />}>
            {(items) =>
              items.map(({ id, name, email }) => (
                <Button key={id} kind="quiet" onClick={() => onChoose(id)}>
                  <span class="strong">{name}</span> {email && <span class="small faint">{email}</span>}
                </Button>
              ))
            }
          </EndlessList>
        </div>
      </div>
    </Dialog>
  )
}
