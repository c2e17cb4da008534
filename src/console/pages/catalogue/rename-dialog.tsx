/** Gives a voice a name of one's own. */
import { useState } from 'preact/hooks'
import { api, dataOf } from '../../client/client'
import { Button } from '../../parts/button'
import { Dialog } from '../../parts/dialog'
import { Form, TextField } from '../../parts/form'
import { attempt, toast } from '../../parts/toast'
import { words } from '../../words/words'
import type { Voice } from './managed-voices'

type Props = { readonly voice: Voice; readonly onClose: () => void; readonly onRenamed: () => void }

export function RenameDialog({ voice, onClose, onRenamed }: Props) {
  const { common, administration } = words.value
  const { catalogue } = administration
  const [name, setName] = useState(voice.display_name)

  async function save(displayName: string | null): Promise<void> {
    const params = { path: { id: voice.id } }
    const body = { display_name: displayName }
    const changed = await dataOf(api.PATCH('/api/v1/admin/voices/{id}', { params, body }))
    toast(catalogue.saved(changed.display_name))
    onRenamed()
    onClose()
  }

  return (
    <Dialog title={catalogue.renameTitle} onClose={onClose}>
      <Form onSubmit={() => save(name)} action={common.save} fields={['display_name']} onCancel={onClose}>
        <TextField
          name="display_name"
          label={catalogue.name}
          hint={catalogue.nameHint}
          required
          maxLength={100}
          value={name}
          onValue={setName}
        />
        <div>
          <Button onClick={() => void attempt(() => save(null))}>{catalogue.restore}</Button>
        </div>
      </Form>
    </Dialog>
  )
}
