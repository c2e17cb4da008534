/** Erases an account, after its name was typed. */
import { Eraser } from 'lucide'
import { useState } from 'preact/hooks'
import { api, dataOf } from '../../client/client'
import { Button } from '../../parts/button'
import { Dialog } from '../../parts/dialog'
import { Form, TextField } from '../../parts/form'
import { Card } from '../../parts/page'
import { toast } from '../../parts/toast'
import { words } from '../../words/words'
import type { Account } from './account-form'

type Props = { readonly account: Account; readonly onErased: (account: Account) => void }

export function EraseCard({ account, onErased }: Props) {
  const { erasure } = words.value.administration
  const [isAsking, setAsking] = useState(false)
  return (
    <Card title={erasure.title}>
      <p class="faint">{erasure.text}</p>
      <div class="actions">
        <Button icon={Eraser} onClick={() => setAsking(true)}>
          {erasure.open}
        </Button>
      </div>
      {isAsking && <EraseDialog account={account} onErased={onErased} onClose={() => setAsking(false)} />}
    </Card>
  )
}

function EraseDialog({ account: { id, name }, onErased, onClose }: Props & { readonly onClose: () => void }) {
  const { erasure } = words.value.administration
  const [typed, setTyped] = useState('')
  const isOther = typed.trim() !== name.trim()

  async function submit(): Promise<void> {
    const erased = await dataOf(api.POST('/api/v1/admin/accounts/{id}/erase', { params: { path: { id } } }))
    toast(erasure.done)
    onClose()
    onErased(erased)
  }

  return (
    <Dialog title={erasure.question(name)} onClose={onClose}>
      <Form onSubmit={submit} action={erasure.action} kind="danger" isDisabled={isOther} onCancel={onClose}>
        <p>{erasure.text}</p>
        <TextField
          name="confirmation"
          label={erasure.confirm}
          hint={<code>{name}</code>}
          autocomplete="off"
          fault={typed !== '' && isOther ? erasure.confirmFault(name) : undefined}
          value={typed}
          onValue={setTyped}
        />
      </Form>
    </Dialog>
  )
}
