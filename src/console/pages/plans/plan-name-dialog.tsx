/** Asks for the name of a plan, a new one or one that exists. */
import { useState } from 'preact/hooks'
import { Dialog } from '../../parts/dialog'
import { Form, TextField } from '../../parts/form'
import { words } from '../../words/words'

type Props = {
  readonly title: string
  readonly action: string
  readonly start?: string
  readonly onSave: (name: string) => Promise<void>
  readonly onClose: () => void
}

export function PlanNameDialog({ title, action, start = '', onSave, onClose }: Props) {
  const { plans } = words.value.administration
  const [name, setName] = useState(start)
  return (
    <Dialog title={title} onClose={onClose}>
      <Form onSubmit={() => onSave(name)} action={action} fields={['name']} onCancel={onClose}>
        <TextField
          name="name"
          label={plans.name}
          hint={plans.nameHint}
          autocomplete="off"
          required
          maxLength={100}
          value={name}
          onValue={setName}
        />
      </Form>
    </Dialog>
  )
}
