/** The keys of an account, which administrators may also change. */
import { KeyRound, Pencil, Plus } from 'lucide'
import { useState } from 'preact/hooks'
import { changedFields } from '../../client/changes'
import { api, dataOf, type Schema } from '../../client/client'
import { usePoll } from '../../client/load'
import { at } from '../../installation'
import { Button, IconButton } from '../../parts/button'
import { KeyForm, NewKeyDialog } from '../../parts/keys/key-dialogs'
import type { Key } from '../../parts/keys/key-state'
import { KeyTable, type KeyOperations } from '../../parts/keys/key-table'
import { Card } from '../../parts/page'
import { Empty, Loaded } from '../../parts/states'
import { toast } from '../../parts/toast'
import { words } from '../../words/words'

const pathOf = (id: string) => ({ params: { path: { id } } })
const operations: KeyOperations = {
  rotate: (id, grace_seconds) =>
    dataOf(api.POST('/api/v1/admin/keys/{id}/rotate', { ...pathOf(id), body: { grace_seconds } })),
  revoke: (id) => dataOf(api.POST('/api/v1/admin/keys/{id}/revoke', pathOf(id))),
  remove: (id) => dataOf(api.DELETE('/api/v1/admin/keys/{id}', pathOf(id))),
}

const refreshMs = 30_000

export function KeysCard({ accountId }: { readonly accountId: string }) {
  const { navigation, money, administration } = words.value
  const { accounts } = administration
  const [isCreating, setCreating] = useState(false)
  const [changed, setChanged] = useState<Key | undefined>(undefined)
  const [created, setCreated] = useState<Schema<'CreatedKey'> | undefined>(undefined)
  const list = usePoll(() => dataOf(api.GET('/api/v1/admin/accounts/{id}/keys', pathOf(accountId))), refreshMs, [
    accountId,
  ])

  async function create(body: Schema<'NewKey'>): Promise<void> {
    setCreated(await dataOf(api.POST('/api/v1/admin/accounts/{id}/keys', { ...pathOf(accountId), body })))
    setCreating(false)
    list.reload()
  }

  async function change(key: Schema<'KeyChanges'>): Promise<void> {
    const body = changedFields<Schema<'KeyChanges'>>(changed!, key)
    if (Object.keys(body).length > 0) {
      await dataOf(api.PATCH('/api/v1/admin/keys/{id}', { ...pathOf(changed!.id), body }))
      toast(accounts.keyChanged)
    }
    setChanged(undefined)
    list.reload()
  }

  return (
    <Card
      title={navigation.keys}
      actions={
        <Button icon={Plus} onClick={() => setCreating(true)}>
          {money.keys.create}
        </Button>
      }
    >
      <Loaded of={list}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon={KeyRound} title={money.keys.none} />
          ) : (
            <KeyTable
              keys={items}
              operations={operations}
              onChange={list.reload}
              usageOf={({ id }) => at(`/admin/usage?account=${accountId}&key=${id}`)}
              moreActions={(key) => (
                <IconButton
                  icon={Pencil}
                  label={`${accounts.changeKey}: ${key.name}`}
                  onClick={() => setChanged(key)}
                />
              )}
            />
          )
        }
      </Loaded>
      {isCreating && (
        <KeyForm
          title={money.keys.create}
          action={money.keys.create}
          onSave={create}
          onClose={() => setCreating(false)}
        />
      )}
      {changed && (
        <KeyForm
          title={accounts.changeKey}
          action={words.value.common.save}
          of={changed}
          onSave={change}
          onClose={() => setChanged(undefined)}
        />
      )}
      {created && <NewKeyDialog apiKey={created.api_key} onClose={() => setCreated(undefined)} />}
    </Card>
  )
}
