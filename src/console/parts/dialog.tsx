/** Dialogs in front of a page, and questions before something that cannot be undone. */
import { signal } from '@preact/signals'
import { X } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { words } from '../words/words'
import { IconButton } from './button'
import { Form } from './form'

type DialogProps = {
  readonly title: string
  /** Undefined: the dialog cannot be left. */
  readonly onClose: (() => void) | undefined
  readonly children: ComponentChildren
}

/** A modal dialog; it is open as long as it is rendered. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => {
    element.current!.showModal()
    // Without this the button that closes the dialog has the focus.
    element.current!.querySelector<HTMLElement>('input, select, textarea')?.focus()
  }, [])
  return (
    <dialog
      ref={element}
      aria-labelledby={titleId}
      closedby={onClose ? 'closerequest' : 'none'}
      onCancel={(event) => {
        event.preventDefault()
        onClose?.()
      }}
      // Browsers without `closedby` close a dialog at the second Escape, whatever the first one's handler did.
      onClose={() => (onClose ? onClose() : element.current?.showModal())}
    >
      <header class="dialog-head">
        <h2 id={titleId}>{title}</h2>
        {onClose && <IconButton icon={X} label={words.value.common.close} onClick={onClose} />}
      </header>
      {children}
    </dialog>
  )
}

type Question = {
  readonly title: string
  readonly text: ComponentChildren
  /** The words of the button that does it. */
  readonly action: string
  /** Runs after the answer yes; a refusal of the service stands in the dialog. */
  readonly run: () => Promise<void>
}

const question = signal<Question | undefined>(undefined)

/** Asks before it runs something that cannot be undone. */
export function ask(asked: Question): void {
  question.value = asked
}

/** The place of the questions; once per page. */
export function QuestionHost() {
  const asked = question.value
  if (!asked) return null
  const close = () => void (question.value = undefined)
  const run = async () => {
    await asked.run()
    close()
  }
  return (
    <Dialog title={asked.title} onClose={close}>
      <Form onSubmit={run} action={asked.action} kind="danger" onCancel={close}>
        <div>{asked.text}</div>
      </Form>
    </Dialog>
  )
}
