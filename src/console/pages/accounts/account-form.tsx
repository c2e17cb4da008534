/** The fields of an account, for a new one and for a change. */
import { useState } from 'preact/hooks'
import { changedFields } from '../../client/changes'
import { api, dataOf, type Schema } from '../../client/client'
import { Dialog } from '../../parts/dialog'
import { Form, NumberField, SelectField, TextField } from '../../parts/form'
import { toast } from '../../parts/toast'
import { words } from '../../words/words'
import { usePlanOptions } from './plans'

export type Account = Schema<'Account'>

type NewProps = { readonly onClose: () => void; readonly onCreated: (account: Account) => void }

export function NewAccountDialog({ onClose, onCreated }: NewProps) {
  const { accounts } = words.value.administration
  const [balance, setBalance] = useState<number | undefined>(undefined)
  const fields = useAccountFields({ name: '', email: null, role: 'user', group: null })
  const isWrong = balance !== undefined && !(Number.isInteger(balance) && balance >= 0)

  async function submit(): Promise<void> {
    const body = { ...fields.values, balance: balance ?? 0 }
    const account = await dataOf(api.POST('/api/v1/admin/accounts', { body }))
    toast(accounts.created(account.name))
    onCreated(account)
  }

  return (
    <Dialog title={accounts.create} onClose={onClose}>
      <Form
        onSubmit={submit}
        action={accounts.createAction}
        fields={[...accountFields, 'balance']}
        isDisabled={isWrong}
        onCancel={onClose}
      >
        {fields.controls}
        <NumberField
          name="balance"
          label={accounts.initialBalance}
          min={0}
          fault={isWrong ? accounts.unitsFault : undefined}
          value={balance}
          onValue={setBalance}
        />
      </Form>
    </Dialog>
  )
}

type EditProps = {
  readonly account: Account
  readonly onClose: () => void
  readonly onChanged: (account: Account) => void
}

export function EditAccountDialog({ account, onClose, onChanged }: EditProps) {
  const { accounts } = words.value.administration
  // The page may load a newer state behind the dialog.
  const [start] = useState(account)
  const fields = useAccountFields(start)

  async function submit(): Promise<void> {
    const params = { path: { id: account.id } }
    const body = changedFields(start, fields.values)
    if (Object.keys(body).length > 0)
      onChanged(await dataOf(api.PATCH('/api/v1/admin/accounts/{id}', { params, body })))
    onClose()
  }

  return (
    <Dialog title={accounts.editTitle} onClose={onClose}>
      <Form onSubmit={submit} action={words.value.common.save} fields={accountFields} onCancel={onClose}>
        {fields.controls}
      </Form>
    </Dialog>
  )
}

const accountFields = ['name', 'email', 'role', 'group']

function useAccountFields(start: Pick<Account, 'name' | 'email' | 'role' | 'group'>) {
  const { accounts } = words.value.administration
  const plans = usePlanOptions()
  const [name, setName] = useState(start.name)
  const [email, setEmail] = useState(start.email ?? '')
  const [role, setRole] = useState(start.role)
  const [group, setGroup] = useState(start.group ?? '')
  const values = { name, email: email === '' ? null : email, role, group: group === '' ? null : group }
  const controls = (
    <>
      <TextField name="name" label={accounts.name} required maxLength={100} value={name} onValue={setName} />
      <TextField
        name="email"
        type="email"
        autocomplete="off"
        label={accounts.email}
        hint={accounts.emailHint}
        value={email}
        onValue={setEmail}
      />
      <SelectField name="group" label={accounts.plan} options={plans.options} value={group} onValue={setGroup} />
      <SelectField
        name="role"
        label={accounts.role}
        hint={role === 'admin' ? accounts.adminHint : undefined}
        options={[
          { value: 'user', label: accounts.user },
          { value: 'admin', label: accounts.admin },
        ]}
        value={role}
        onValue={(next) => setRole(next as Account['role'])}
      />
    </>
  )
  return { values, controls }
}
