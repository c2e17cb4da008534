/** Forms: they send once, and say beside the field what is wrong, before and after sending. */
import { createContext, type ComponentChildren } from 'preact'
import { useContext, useEffect, useId, useState } from 'preact/hooks'
import { ApiError, isSessionEnd } from '../client/client'
import { words } from '../words/words'
import { Button } from './button'
import { ErrorNote, sayError } from './errors'

type FormState = { readonly error: ApiError | undefined; readonly isBusy: boolean }

const FormContext = createContext<FormState>({ error: undefined, isBusy: false })

type FormProps = {
  /** Sends the form. A refusal that names a field of the form stands beside it, every other one below the fields. */
  readonly onSubmit: () => Promise<void>
  /** The words of the button. */
  readonly action: string
  readonly kind?: 'primary' | 'danger'
  /** The names of the fields by which the service may refuse. */
  readonly fields?: readonly string[]
  readonly onCancel?: () => void
  readonly isDisabled?: boolean
  readonly children: ComponentChildren
}

export function Form({ onSubmit, action, kind = 'primary', fields = [], onCancel, isDisabled, children }: FormProps) {
  const [state, setState] = useState<FormState>({ error: undefined, isBusy: false })

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    if (state.isBusy) return
    setState({ error: undefined, isBusy: true })
    try {
      await onSubmit()
      setState({ error: undefined, isBusy: false })
    } catch (error) {
      const refusal = error instanceof ApiError ? error : undefined
      // The dialog of an ended session says so, and goes with the new session.
      setState({ error: refusal && isSessionEnd(refusal) ? undefined : refusal, isBusy: false })
      if (!refusal) throw error
    }
  }

  /** The refusal of a value says nothing about the next value. */
  function forget({ target }: Event): void {
    if (isBesideField && (target as HTMLInputElement).name === state.error?.param)
      setState((now) => ({ ...now, error: undefined }))
  }

  const waitSeconds = useDelay(state.error)
  const isBesideField = state.error?.param !== undefined && fields.includes(state.error.param)
  return (
    <FormContext.Provider value={state}>
      <form class="form" onSubmit={(event) => void submit(event)} onInput={forget}>
        {children}
        {!isBesideField && <ErrorNote error={state.error} delay="without delay" />}
        <div class="actions">
          <Button type="submit" kind={kind} isBusy={state.isBusy} disabled={isDisabled || waitSeconds > 0}>
            {waitSeconds > 0 ? words.value.errors.tryAgainIn(waitSeconds) : action}
          </Button>
          {onCancel && <Button onClick={onCancel}>{words.value.common.cancel}</Button>}
        </div>
      </form>
    </FormContext.Provider>
  )
}

/** The seconds until the service takes the form again, counted down; 0: at once. */
function useDelay(error: ApiError | undefined): number {
  const [left, setLeft] = useState(0)
  useEffect(() => {
    const endMs = Date.now() + (error?.retryAfterSeconds ?? 0) * 1000
    const count = () => {
      const seconds = Math.max(0, Math.ceil((endMs - Date.now()) / 1000))
      setLeft(seconds)
      if (seconds === 0) clearInterval(timer)
    }
    const timer = setInterval(count, 1000)
    count()
    return () => clearInterval(timer)
  }, [error])
  return left
}

type Frame = {
  readonly label: string
  /** The name of the field in the interface: a refusal that names it stands below. */
  readonly name: string
  readonly hint?: ComponentChildren
  /** The fault of the present value, before it is sent. */
  readonly fault?: string | undefined
}

type FrameProps = Frame & { readonly children: (described: Described) => ComponentChildren }
type Described = {
  readonly id: string
  readonly name: string
  readonly 'aria-invalid': boolean
  readonly 'aria-describedby': string
}

/** The label above a control, and below it the hint or what is wrong. */
export function FieldFrame({ label, name, hint, fault, children }: FrameProps) {
  const id = useId()
  const { error } = useContext(FormContext)
  const wrong = fault ?? (error?.param === name ? `${sayFieldError(error)}` : undefined)
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, name, 'aria-invalid': wrong !== undefined, 'aria-describedby': `${id}-below` })}
      <p id={`${id}-below`} class={wrong ? 'below bad' : 'below faint'} role={wrong ? 'alert' : undefined}>
        {wrong ?? hint}
      </p>
    </div>
  )
}

/** A refusal of one field in the words of the page; it stands beside the field. */
export function fieldError(
  name: string,
  text: string,
  { requestId }: { readonly requestId?: string | undefined } = {},
) {
  return new ApiError('invalid_params', text, 400, name, requestId, undefined)
}

/** The service names the field, what it found and what is allowed; that says more than the sentence for the code. */
function sayFieldError(error: ApiError): string {
  return error.code === 'invalid_params' ? error.message : sayError(error)
}

type Control<Value> = Frame & {
  readonly value: Value
  readonly onValue: (value: Value) => void
  readonly required?: boolean
  readonly disabled?: boolean
}

type InputType = 'text' | 'email' | 'password' | 'search' | 'url' | 'date' | 'datetime-local'
type TextProps = Control<string> & {
  readonly type?: InputType
  readonly autocomplete?: string
  readonly placeholder?: string
  readonly maxLength?: number
  /** The last day that a field for a day takes. */
  readonly max?: string
}

export function TextField({ label, name, hint, fault, value, onValue, type = 'text', ...rest }: TextProps) {
  return (
    <FieldFrame {...{ label, name, hint, fault }}>
      {(described) => (
        <input
          {...rest}
          {...described}
          type={type as 'text'}
          value={value}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
    </FieldFrame>
  )
}

type AreaProps = Control<string> & {
  readonly placeholder?: string
  readonly rows?: number
  readonly maxLength?: number
}

export function TextArea({ label, name, hint, fault, value, onValue, ...rest }: AreaProps) {
  return (
    <FieldFrame {...{ label, name, hint, fault }}>
      {(described) => (
        <textarea
          rows={3}
          {...rest}
          {...described}
          value={value}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
    </FieldFrame>
  )
}

type NumberProps = Control<number | undefined> & {
  readonly min?: number
  readonly max?: number
  readonly step?: number | 'any'
  readonly placeholder?: string
}

/** An empty field is undefined. */
export function NumberField({ label, name, hint, fault, value, onValue, ...rest }: NumberProps) {
  return (
    <FieldFrame {...{ label, name, hint, fault }}>
      {(described) => (
        <input
          {...rest}
          {...described}
          type="number"
          value={value ?? ''}
          onInput={({ currentTarget }) => onValue(currentTarget.value === '' ? undefined : currentTarget.valueAsNumber)}
        />
      )}
    </FieldFrame>
  )
}

type SelectProps = Control<string> & { readonly options: readonly { readonly value: string; readonly label: string }[] }

export function SelectField({ label, name, hint, fault, value, onValue, options, ...rest }: SelectProps) {
  return (
    <FieldFrame {...{ label, name, hint, fault }}>
      {(described) => (
        <select {...rest} {...described} value={value} onChange={(event) => onValue(event.currentTarget.value)}>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </FieldFrame>
  )
}

type CheckProps = {
  readonly label: ComponentChildren
  readonly isChecked: boolean
  readonly onCheck: (isChecked: boolean) => void
  readonly isDisabled?: boolean
}

export function CheckField({ label, isChecked, onCheck, isDisabled = false }: CheckProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={isChecked}
        disabled={isDisabled}
        onChange={(event) => onCheck(event.currentTarget.checked)}
      />
      <span>{label}</span>
    </label>
  )
}
