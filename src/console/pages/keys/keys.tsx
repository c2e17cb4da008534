/** The page "API keys": the keys of the own account. */
import { KeyRound, Plus } from 'lucide'
import { useState } from 'preact/hooks'
import { api, dataOf, type Schema } from '../../client/client'
import { usePoll } from '../../client/load'
import { useQuery } from '../../client/query'
import { at } from '../../installation'
import { Button } from '../../parts/button'
import { SelectField } from '../../parts/form'
import { KeyForm, NewKeyDialog } from '../../parts/keys/key-dialogs'
import { stateOf, type Key } from '../../parts/keys/key-state'
import { KeyTable, type KeyOperations } from '../../parts/keys/key-table'
import { Card, Page } from '../../parts/page'
import { SearchField } from '../../parts/search'
import { Empty, Loaded } from '../../parts/states'
import { words } from '../../words/words'

/** Programs spend while the page is open. */
const refreshMs = 30_000
/** Fewer keys need no search. */
const searchedMin = 6

const pathOf = (id: string) => ({ params: { path: { id } } })
const operations: KeyOperations = {
  rotate: (id, grace_seconds) =>
    dataOf(api.POST('/api/v1/keys/{id}/rotate', { ...pathOf(id), body: { grace_seconds } })),
  revoke: (id) => dataOf(api.POST('/api/v1/keys/{id}/revoke', pathOf(id))),
  remove: (id) => dataOf(api.DELETE('/api/v1/keys/{id}', pathOf(id))),
}
const usageOf = ({ id }: Key) => at(`/usage?key=${id}`)

export default function Keys() {
  const { navigation, money } = words.value
  const { keys } = money
  const loaded = usePoll(() => dataOf(api.GET('/api/v1/keys')), refreshMs)
  const [isCreating, setCreating] = useState(false)
  const [created, setCreated] = useState<Schema<'CreatedKey'>>()

  const create = async (body: Schema<'NewKey'>) => {
    setCreated(await dataOf(api.POST('/api/v1/keys', { body })))
    setCreating(false)
    loaded.reload()
  }
  const createButton = (
    <Button kind="primary" icon={Plus} onClick={() => setCreating(true)}>
      {keys.create}
    </Button>
  )
  const isNone = loaded.data?.items.length === 0
  return (
    <Page title={navigation.keys} lead={keys.lead} actions={!isNone && createButton}>
      <Card>
        <Loaded of={loaded}>
          {({ items }) =>
            isNone ? (
              <Empty icon={KeyRound} title={keys.none}>
                <p>{keys.noneText}</p>
                {createButton}
              </Empty>
            ) : (
              <FoundKeys of={items} onChange={loaded.reload} />
            )
          }
        </Loaded>
      </Card>
      {isCreating && (
        <KeyForm title={keys.create} action={keys.create} onSave={create} onClose={() => setCreating(false)} />
      )}
      {created && <NewKeyDialog apiKey={created.api_key} onClose={() => setCreated(undefined)} />}
    </Page>
  )
}

type FoundProps = { readonly of: readonly Key[]; readonly onChange: () => void }

/** The keys that match the search in the address, newest first. */
function FoundKeys({ of, onChange }: FoundProps) {
  const { keys } = words.value.money
  const [searched, setSearched] = useQuery('q')
  const [show, setShow] = useQuery('show')
  const lower = searched.toLowerCase()
  const found = of
    .filter((key) => {
      const isWorking = ['active', 'ending'].includes(stateOf(key))
      const isShown = show === '' || isWorking === (show === 'working')
      return isShown && (key.name.toLowerCase().includes(lower) || key.prefix.toLowerCase().includes(lower))
    })
    .reverse()
  return (
    <>
      {(of.length >= searchedMin || searched !== '' || show !== '') && (
        <div class="filters">
          <SearchField label={keys.search} placeholder={keys.searched} value={searched} onSearch={setSearched} />
          <SelectField
            label={keys.show}
            name="show"
            value={show}
            onValue={setShow}
            options={[
              { value: '', label: keys.shownAll },
              { value: 'working', label: keys.shownWorking },
              { value: 'ended', label: keys.shownEnded },
            ]}
          />
        </div>
      )}
      {found.length === 0 ? (
        <Empty title={keys.noMatch} />
      ) : (
        <KeyTable keys={found} operations={operations} onChange={onChange} usageOf={usageOf} />
      )}
    </>
  )
}
