/** Short messages at the edge of the page that go by themselves. */
import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { ApiError } from '../client/client'
import { sayError } from './errors'

type Toast = { readonly id: number; readonly text: string; readonly tone: 'good' | 'bad' }

const shownMs = 5000
const toasts = signal<readonly Toast[]>([])
let lastId = 0

export function toast(text: string, tone: Toast['tone'] = 'good'): void {
  const id = ++lastId
  toasts.value = [...toasts.value, { id, text, tone }]
  setTimeout(() => (toasts.value = toasts.value.filter((each) => each.id !== id)), shownMs)
}

/** Runs a change that has no form and says its refusal. Returns whether it succeeded. */
export async function attempt(run: () => Promise<unknown>): Promise<boolean> {
  try {
    await run()
    return true
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    toast(sayError(error), 'bad')
    return false
  }
}

/** The place of the messages; once per page. */
export function ToastHost() {
  const host = useRef<HTMLDivElement>(null)
  const shown = toasts.value
  // Shown again, it stands in front of a dialog that was opened meanwhile.
  useEffect(() => {
    host.current!.hidePopover?.()
    host.current!.showPopover?.()
  }, [shown])
  return (
    <div ref={host} popover="manual" class="toasts" role="status" aria-live="polite">
      {shown.map(({ id, text, tone }) => (
        <p key={id} class={`toast ${tone}`}>
          {text}
        </p>
      ))}
    </div>
  )
}
