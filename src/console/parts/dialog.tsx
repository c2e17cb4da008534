/** Dialogs in front of a page, and questions before something that cannot be undone. */
import { signal } from '@preact/signals'
import { X } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso'
import { useEffect, useId, useRef } from 'preact/hooks'
import { ApiError } from '../client/client'
import { session } from '../client/session'
import { words } from '../words/words'
import { IconButton } from './button'
import { sayError } from './errors'
import { Form } from './form'
import { toast } from './toast'

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
    const before = document.activeElement
    element.current!.showModal()
    // Without this the button that closes the dialog has the focus.
    element.current!.querySelector<HTMLElement>('input, select, textarea')?.focus()
    // Nothing behind the dialog takes the focus before it is removed.
    return () => queueMicrotask(() => focusAgain(before))
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

/** The focus goes back to where it was; to the page, where that has gone. */
function focusAgain(before: Element | null): void {
  if (document.activeElement !== document.body) return
  const isThere = before instanceof HTMLElement && before.isConnected && before !== document.body
  const target = isThere ? before : document.getElementById('content')
  target?.focus({ preventScroll: true })
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

/** The place of the questions; once per page. A question goes with its page and its person. */
export function QuestionHost() {
  const asked = question.value
  const { path } = useLocation()
  const state = session.value
  const personId = 'signedIn' in state ? state.signedIn.person.id : undefined
  useEffect(() => () => void (question.value = undefined), [path, personId])
  if (!asked) return null
  const close = () => {
    if (question.peek() === asked) question.value = undefined
  }
  const run = async () => {
    try {
      await asked.run()
    } catch (error) {
      if (question.peek() === asked || !(error instanceof ApiError)) throw error
      // The question was left before the answer came.
      toast(sayError(error), 'bad')
    }
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
