/** Adds characters to a balance or takes them away, and says before what comes out. */
import { useState } from 'preact/hooks'
import { api, dataOf } from '../../client/client'
import { formatNumber } from '../../format'
import { Form, NumberField, SelectField, TextField } from '../../parts/form'
import { toast } from '../../parts/toast'
import { words } from '../../words/words'
import type { Account } from './account-form'

type Props = { readonly account: Account; readonly onAdjusted: () => void }

export function AdjustForm({ account: { id, balance }, onAdjusted }: Props) {
  const { accounts } = words.value.administration
  const [direction, setDirection] = useState<'add' | 'take'>('add')
  const [amount, setAmount] = useState<number | undefined>(undefined)
  const [reason, setReason] = useState('')
  const isWrong = amount !== undefined && !(Number.isInteger(amount) && amount > 0)
  const units = direction === 'add' ? (amount ?? 0) : -(amount ?? 0)
  const isTooLow = balance + units < 0
  const preview =
    amount === undefined ? undefined : accounts.after(formatNumber(balance), formatNumber(balance + units))

  async function submit(): Promise<void> {
    const body = { units, reason }
    const params = { path: { id } }
    const answer = await dataOf(api.POST('/api/v1/admin/accounts/{id}/adjust', { params, body })).catch((error) => {
      // Where the answer was lost, the new balance says whether the characters have come.
      onAdjusted()
      throw error
    })
    toast(accounts.adjustDone(formatNumber(answer.balance)))
    setAmount(undefined)
    setReason('')
    onAdjusted()
  }

  return (
    <Form onSubmit={submit} action={accounts.adjust} fields={['units', 'reason']} isDisabled={isWrong || isTooLow}>
      <div class="adjust">
        <SelectField
          name="direction"
          label={accounts.direction}
          options={[
            { value: 'add', label: accounts.add },
            { value: 'take', label: accounts.take },
          ]}
          value={direction}
          onValue={(next) => setDirection(next as 'add' | 'take')}
        />
        <NumberField
          name="units"
          label={accounts.units}
          min={1}
          required
          hint={preview}
          fault={isWrong ? accounts.unitsFault : isTooLow ? accounts.tooLow(formatNumber(balance)) : undefined}
          value={amount}
          onValue={setAmount}
        />
        <TextField
          name="reason"
          label={accounts.reason}
          hint={accounts.reasonHint}
          required
          maxLength={500}
          value={reason}
          onValue={setReason}
        />
      </div>
    </Form>
  )
}
