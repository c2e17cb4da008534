/** Activating a code. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { api, ApiError, dataOf } from '../../client/client'
import { formatNumber } from '../../format'
import { fieldError, FieldFrame, Form } from '../../parts/form'
import { toast } from '../../parts/toast'
import { words } from '../../words/words'
import { caretAfter, codeLength, formatCode, lengthOf } from './code'

export function ActivateCode({ onActivated }: { readonly onActivated: () => void }) {
  const { balance } = words.value.money
  const [code, setCode] = useState('')
  const found = lengthOf(code)
  const fault = found > codeLength ? balance.codeLong : code.includes('U') ? balance.codeLetter : undefined

  async function activate(): Promise<void> {
    if (found < codeLength) throw fieldError('code', balance.codeShort(found))
    try {
      const { units } = await dataOf(api.POST('/api/v1/activation', { body: { code } }))
      setCode('')
      toast(balance.activated(formatNumber(units)))
      onActivated()
    } catch (error) {
      if (error instanceof ApiError && error.param === 'code') throw fieldError('code', balance.codeWrong, error)
      throw error
    }
  }

  return (
    <Form onSubmit={activate} action={balance.activate} fields={['code']} isDisabled={fault !== undefined}>
      <CodeField value={code} onValue={setCode} fault={fault} />
    </Form>
  )
}

type FieldProps = {
  readonly value: string
  readonly onValue: (value: string) => void
  readonly fault: string | undefined
}

/** Sets the hyphens while one types, and keeps the caret where it was. */
function CodeField({ value, onValue, fault }: FieldProps) {
  const { balance } = words.value.money
  const input = useRef<HTMLInputElement>(null)
  const caret = useRef<number>(undefined)
  useLayoutEffect(() => {
    if (caret.current === undefined) return
    input.current!.setSelectionRange(caret.current, caret.current)
    caret.current = undefined
  })
  const change = ({ value: typed, selectionStart }: HTMLInputElement) => {
    caret.current = caretAfter(typed, selectionStart ?? typed.length)
    const formatted = formatCode(typed)
    // The value may stay the same, and then nothing is rendered again.
    input.current!.value = formatted
    onValue(formatted)
  }
  return (
    <FieldFrame label={balance.code} name="code" hint={balance.codeHint} fault={fault}>
      {(described) => (
        <input
          {...described}
          ref={input}
          class="mono"
          type="text"
          required
          autocomplete="off"
          autocapitalize="characters"
          spellcheck={false}
          placeholder="XXXX-XXXX-XXXX-XXXX"
          value={value}
          onInput={(event) => change(event.currentTarget)}
        />
      )}
    </FieldFrame>
  )
}
