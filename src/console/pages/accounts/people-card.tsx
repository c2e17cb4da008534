/** The people of an account: invite, change, give a new password, remove. */
import { KeyRound, Pencil, Trash2, UserPlus, Users } from 'lucide'
import { useState } from 'preact/hooks'
import { changedFields } from '../../client/changes'
import { api, dataOf, type Schema } from '../../client/client'
import { usePoll } from '../../client/load'
import { formatDay, formatTime } from '../../format'
import { Button, IconButton } from '../../parts/button'
import { ask, Dialog } from '../../parts/dialog'
import { Form, TextField } from '../../parts/form'
import { Card } from '../../parts/page'
import { SecretDialog } from '../../parts/secret'
import { Empty, Loaded } from '../../parts/states'
import { Table, type Column } from '../../parts/table'
import { attempt, toast } from '../../parts/toast'
import { words } from '../../words/words'

type Person = Schema<'AccountPerson'>
type Shown = { readonly title: string; readonly text: string; readonly secret: string }
type Props = { readonly accountId: string; readonly onInvited: () => void }

const refreshMs = 30_000

export function PeopleCard({ accountId, onInvited }: Props) {
  const { people } = words.value.administration
  const [shown, setShown] = useState<Shown | undefined>(undefined)
  const [edited, setEdited] = useState<Person | undefined>(undefined)
  const [isBusy, setBusy] = useState(false)
  const params = { path: { id: accountId } }
  const list = usePoll(() => dataOf(api.GET('/api/v1/admin/accounts/{id}/persons', { params })), refreshMs, [accountId])

  async function invite(): Promise<void> {
    setBusy(true)
    await attempt(async () => {
      const { url, expires_at } = await dataOf(api.POST('/api/v1/admin/accounts/{id}/invitations', { params }))
      setShown({ title: people.invited, text: people.inviteText(formatTime(expires_at)), secret: url })
      onInvited()
    })
    setBusy(false)
  }

  async function resetPassword({ id, name }: Person): Promise<void> {
    const { password } = await dataOf(
      api.POST('/api/v1/admin/persons/{id}/reset-password', { params: { path: { id } } }),
    )
    setShown({ title: people.newPassword(name), text: people.newPasswordText, secret: password })
  }

  async function remove({ id }: Person): Promise<void> {
    await dataOf(api.DELETE('/api/v1/admin/persons/{id}', { params: { path: { id } } }))
    toast(people.removed)
    list.reload()
  }

  return (
    <Card
      title={people.title}
      actions={
        <Button icon={UserPlus} isBusy={isBusy} onClick={() => void invite()}>
          {people.invite}
        </Button>
      }
    >
      <Loaded of={list}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon={Users} title={people.none}>
              <p>{people.noneText}</p>
            </Empty>
          ) : (
            <PeopleTable items={items} onEdit={setEdited} onReset={resetPassword} onRemove={remove} />
          )
        }
      </Loaded>
      {edited && <EditPersonDialog person={edited} onClose={() => setEdited(undefined)} onChanged={list.reload} />}
      {shown && (
        <SecretDialog title={shown.title} secret={shown.secret} onClose={() => setShown(undefined)}>
          <p>{shown.text}</p>
        </SecretDialog>
      )}
    </Card>
  )
}

type TableProps = {
  readonly items: readonly Person[]
  readonly onEdit: (person: Person) => void
  readonly onReset: (person: Person) => Promise<void>
  readonly onRemove: (person: Person) => Promise<void>
}

function PeopleTable({ items, onEdit, onReset, onRemove }: TableProps) {
  const { people } = words.value.administration
  const columns: readonly Column<Person>[] = [
    { title: people.name, cell: ({ name }) => <span class="strong">{name}</span> },
    { title: people.email, cell: ({ email }) => email },
    { title: people.joined, cell: ({ created_at }) => <span class="faint nowrap">{formatDay(created_at)}</span> },
  ]
  const askReset = (person: Person) =>
    ask({
      title: people.resetTitle(person.name),
      text: <p>{people.resetText}</p>,
      action: people.resetAction,
      run: () => onReset(person),
    })
  const askRemove = (person: Person) =>
    ask({
      title: people.removeTitle(person.name),
      text: <p>{people.removeText}</p>,
      action: people.remove,
      run: () => onRemove(person),
    })
  return (
    <Table
      label={people.list}
      columns={columns}
      rows={items}
      keyOf={({ id }) => id}
      actions={(person) => (
        <>
          <IconButton icon={Pencil} label={`${people.edit}: ${person.name}`} onClick={() => onEdit(person)} />
          <IconButton icon={KeyRound} label={`${people.reset}: ${person.name}`} onClick={() => askReset(person)} />
          <IconButton icon={Trash2} label={`${people.remove}: ${person.name}`} onClick={() => askRemove(person)} />
        </>
      )}
    />
  )
}

type EditProps = { readonly person: Person; readonly onClose: () => void; readonly onChanged: () => void }

function EditPersonDialog({ person, onClose, onChanged }: EditProps) {
  const { people } = words.value.administration
  const [name, setName] = useState(person.name)
  const [email, setEmail] = useState(person.email)

  async function submit(): Promise<void> {
    const params = { path: { id: person.id } }
    const body = changedFields(person, { name, email })
    if (Object.keys(body).length > 0) {
      await dataOf(api.PATCH('/api/v1/admin/persons/{id}', { params, body }))
      toast(people.saved)
      onChanged()
    }
    onClose()
  }

  return (
    <Dialog title={people.editTitle(person.name)} onClose={onClose}>
      <Form onSubmit={submit} action={words.value.common.save} fields={['name', 'email']} onCancel={onClose}>
        <TextField name="name" label={people.name} required maxLength={100} value={name} onValue={setName} />
        <TextField
          name="email"
          type="email"
          autocomplete="off"
          label={people.email}
          required
          value={email}
          onValue={setEmail}
        />
      </Form>
    </Dialog>
  )
}
