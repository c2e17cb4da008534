/** The states of a part of a page: its data loads, could not be loaded, or there is none. */
import type { IconNode } from 'lucide'
import type { ComponentChildren } from 'preact'
import type { Load } from '../client/load'
import { words } from '../words/words'
import { ErrorNote } from './errors'
import { Icon } from './icon'

/** Grey lines in place of data that loads. */
export function Skeleton({ lines = 3 }: { readonly lines?: number }) {
  return (
    <div class="skeleton" role="status" aria-label={words.value.common.loading}>
      {Array.from({ length: lines }, (_, i) => (
        <span key={i} />
      ))}
    </div>
  )
}

type LoadedProps<Data> = {
  readonly of: Load<Data>
  /** Lines of the skeleton. */
  readonly lines?: number
  readonly children: (data: Data) => ComponentChildren
}

/** Shows the data once it is there; older data stays visible while newer loads. */
export function Loaded<Data>({ of, lines, children }: LoadedProps<Data>) {
  if (of.data !== undefined)
    return (
      <>
        {of.error && <ErrorNote error={of.error} onRetry={of.reload} />}
        {children(of.data)}
      </>
    )
  if (of.error) return <ErrorNote error={of.error} onRetry={of.reload} />
  return <Skeleton lines={lines ?? 3} />
}

type EmptyProps = { readonly icon?: IconNode; readonly title: string; readonly children?: ComponentChildren }

/** In place of a list without entries: says so, and what to do. */
export function Empty({ icon, title, children }: EmptyProps) {
  return (
    <div class="empty">
      {icon && <Icon of={icon} sizePixels={32} />}
      <p class="strong">{title}</p>
      {children}
    </div>
  )
}
