/** Makes a batch of activation codes, and shows them once. */
import { Download } from 'lucide'
import { useState } from 'preact/hooks'
import { api, dataOf, type Schema } from '../../client/client'
import { formatNumber } from '../../format'
import { Button } from '../../parts/button'
import { CopyButton } from '../../parts/copy'
import { Dialog } from '../../parts/dialog'
import { endOfDay, ExpiryField } from '../../parts/expiry'
import { Form, NumberField, TextField } from '../../parts/form'
import { csvLine, saveText } from '../../parts/save'
import { words } from '../../words/words'

export type Code = Schema<'Code'>

const countMax = 1000

type Props = { readonly onClose: () => void; readonly onMade: (codes: readonly Code[]) => void }

export function NewCodesDialog({ onClose, onMade }: Props) {
  const { codes } = words.value.administration
  const [units, setUnits] = useState<number | undefined>(undefined)
  const [count, setCount] = useState<number | undefined>(1)
  const [expires, setExpires] = useState('')
  const [note, setNote] = useState('')
  const isWrong = (value: number | undefined, max: number) =>
    value !== undefined && !(Number.isInteger(value) && value >= 1 && value <= max)
  const areUnitsWrong = isWrong(units, Number.MAX_SAFE_INTEGER)
  const isCountWrong = isWrong(count, countMax)
  const isComplete = units !== undefined && count !== undefined && !areUnitsWrong && !isCountWrong

  async function submit(): Promise<void> {
    const body = { units: units!, count: count!, expires_at: endOfDay(expires), note: note.trim() || null }
    onMade((await dataOf(api.POST('/api/v1/admin/codes', { body }))).items)
  }

  return (
    <Dialog title={codes.create} onClose={onClose}>
      <Form
        onSubmit={submit}
        action={codes.createAction}
        fields={['units', 'count', 'expires_at', 'note']}
        isDisabled={areUnitsWrong || isCountWrong}
        onCancel={onClose}
      >
        <NumberField
          name="units"
          label={codes.units}
          required
          min={1}
          fault={areUnitsWrong ? codes.unitsFault : undefined}
          value={units}
          onValue={setUnits}
        />
        <NumberField
          name="count"
          label={codes.count}
          required
          min={1}
          max={countMax}
          hint={isComplete ? codes.total(formatNumber(count), formatNumber(units * count)) : undefined}
          fault={isCountWrong ? codes.countFault : undefined}
          value={count}
          onValue={setCount}
        />
        <ExpiryField value={expires} onValue={setExpires} />
        <TextField
          name="note"
          label={codes.note}
          hint={codes.noteHint}
          maxLength={500}
          value={note}
          onValue={setNote}
        />
      </Form>
    </Dialog>
  )
}

type MadeProps = { readonly made: readonly Code[]; readonly onClose: () => void }

/** The only place that shows the whole codes, so only its button closes it. */
export function MadeCodesDialog({ made, onClose }: MadeProps) {
  const { common, administration } = words.value
  const { codes } = administration
  const text = made.map(({ code }) => code).join('\n')
  const save = () => {
    const lines = made.map(({ code, units, expires_at, note }) => csvLine([code, units, expires_at, note]))
    const day = made[0]!.created_at.slice(0, 10)
    saveText(
      csvLine(['code', 'units', 'expires_at', 'note']) + lines.join(''),
      `${codes.fileName}-${day}.csv`,
      'text/csv',
    )
  }
  return (
    <Dialog title={codes.made(formatNumber(made.length))} onClose={undefined}>
      <div class="stack">
        <div class="note warn">
          <p>{codes.madeText}</p>
        </div>
        <pre class="made-codes" tabIndex={0} aria-label={codes.list}>
          {text}
        </pre>
        <div class="actions">
          <CopyButton text={text} label={codes.copyAll} />
          <Button icon={Download} onClick={save}>
            {codes.csv}
          </Button>
          <Button kind="primary" onClick={onClose}>
            {common.done}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
