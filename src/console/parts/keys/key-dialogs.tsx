/** Dialogs for one key: creating, changing and replacing it, and the only time that its secret is shown. */
import { useState } from 'preact/hooks'
import type { Schema } from '../../client/client'
import { baseUrl } from '../../installation'
import { words } from '../../words/words'
import { CopyButton } from '../copy'
import { Dialog } from '../dialog'
import { dayOf, endOfDay, ExpiryField } from '../expiry'
import { Form, NumberField, SelectField, TextField } from '../form'
import { SecretDialog } from '../secret'
import type { Key } from './key-state'

type KeyFormProps = {
  readonly title: string
  readonly action: string
  /** The key that is changed; without it a new one. */
  readonly of?: Key
  readonly onSave: (key: Schema<'NewKey'>) => Promise<void>
  readonly onClose: () => void
}

const limitMax = 100_000
const isBad = (value: number | undefined, min: number, max: number) =>
  value !== undefined && !(Number.isInteger(value) && value >= min && value <= max)

export function KeyForm({ title, action, of: key, onSave, onClose }: KeyFormProps) {
  const { keys } = words.value.money
  const [name, setName] = useState(key?.name ?? '')
  const [cap, setCap] = useState(key?.cap ?? undefined)
  const [dayBefore] = useState(() => dayOf(key?.expires_at ?? null))
  const [lastDay, setLastDay] = useState(dayBefore)
  const [tts, setTts] = useState(key?.limits.tts ?? undefined)
  const [clone, setClone] = useState(key?.limits.clone ?? undefined)
  // The time within the last day stays as it is while the day is not changed.
  const isDaySent = !key || lastDay !== dayBefore
  const expiresAt = endOfDay(lastDay)
  const isPast = isDaySent && expiresAt !== null && Date.parse(expiresAt) < Date.now()
  const isCapBad = isBad(cap, 0, Number.MAX_SAFE_INTEGER)
  const isTtsBad = isBad(tts, 1, limitMax)
  const isCloneBad = isBad(clone, 1, limitMax)

  const areLimitsSent = key !== undefined || (tts ?? clone) !== undefined
  const save = () =>
    onSave({
      name,
      cap: cap ?? null,
      ...(isDaySent && { expires_at: expiresAt }),
      ...(areLimitsSent && { limits: { tts: tts ?? null, clone: clone ?? null } }),
    })
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        onSubmit={save}
        action={action}
        fields={['name', 'cap', 'expires_at']}
        onCancel={onClose}
        isDisabled={isCapBad || isPast || isTtsBad || isCloneBad}
      >
        <TextField
          label={keys.name}
          name="name"
          hint={keys.nameHint}
          autocomplete="off"
          required
          maxLength={100}
          value={name}
          onValue={setName}
        />
        <NumberField
          label={keys.cap}
          name="cap"
          hint={keys.capHint}
          fault={isCapBad ? keys.capFault : undefined}
          min={0}
          step="any"
          value={cap}
          onValue={setCap}
        />
        <ExpiryField value={lastDay} onValue={setLastDay} />
        <details class="key-limits" open={(key?.limits.tts ?? key?.limits.clone ?? null) !== null}>
          <summary>{keys.limits}</summary>
          <div class="grid">
            <NumberField
              label={keys.limitTts}
              name="limits.tts"
              hint={keys.limitHint}
              fault={isTtsBad ? keys.limitFault : undefined}
              step="any"
              value={tts}
              onValue={setTts}
            />
            <NumberField
              label={keys.limitClone}
              name="limits.clone"
              hint={keys.limitHint}
              fault={isCloneBad ? keys.limitFault : undefined}
              step="any"
              value={clone}
              onValue={setClone}
            />
          </div>
        </details>
      </Form>
    </Dialog>
  )
}

type RotateProps = {
  readonly of: Key
  readonly onRotate: (graceSeconds: number) => Promise<void>
  readonly onClose: () => void
}

export function RotateKey({ of: { name }, onRotate, onClose }: RotateProps) {
  const { keys } = words.value.money
  const [grace, setGrace] = useState('86400')
  return (
    <Dialog title={keys.rotateTitle(name)} onClose={onClose}>
      <Form onSubmit={() => onRotate(Number(grace))} action={keys.rotate} fields={['grace_seconds']} onCancel={onClose}>
        <p>{keys.rotateText}</p>
        <SelectField
          label={keys.grace}
          name="grace_seconds"
          value={grace}
          onValue={setGrace}
          options={[
            { value: '0', label: keys.graceNone },
            { value: '3600', label: keys.graceHour },
            { value: '86400', label: keys.graceDay },
            { value: '604800', label: keys.graceWeek },
            { value: '2592000', label: keys.graceMonth },
          ]}
        />
      </Form>
    </Dialog>
  )
}

type SecretProps = { readonly apiKey: string; readonly onClose: () => void }

/** Shows a new key, with a first request that uses it. */
export function NewKeyDialog({ apiKey, onClose }: SecretProps) {
  const { keys } = words.value.money
  const command = `curl ${baseUrl}/api/v1/tts \\
  -H 'Authorization: Bearer ${apiKey}' \\
  -H 'Content-Type: application/json' \\
  -d '{"text":"Hello! This is my first sentence."}'`
  const firstRequest = (
    <>
      <div class="row between">
        <h3>{keys.tryIt}</h3>
        <CopyButton text={command} />
      </div>
      <pre tabIndex={0}>{command}</pre>
    </>
  )
  return <SecretDialog title={keys.made} secret={apiKey} below={firstRequest} onClose={onClose} />
}
