/** Lists whose rows a pointer drags by their handle, within a list and between lists. */
import { GripVertical } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import Sortable from 'sortablejs'
import { Icon } from './icon'

export type Drop = {
  /** `data-id` of the row. */
  readonly id: string
  /** The list that it came from, and the one that it is in now. */
  readonly from: string
  readonly to: string
  /** Its place in that list. */
  readonly index: number
}

type Props = {
  /** Names the list in a {@link Drop}. */
  readonly name: string
  /** Rows move between lists of the same group. */
  readonly group?: string
  /** For screen readers. */
  readonly label: string
  readonly onDrop: (drop: Drop) => void
  /** `<li data-id="…">`, each with a {@link DragHandle}. */
  readonly children: ComponentChildren
}

const animationMs = 150

export function SortableList({ name, group = name, label, onDrop, children }: Props) {
  const list = useRef<HTMLUListElement>(null)
  const drop = useRef(onDrop)
  drop.current = onDrop
  useEffect(() => {
    const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches
    const sortable = Sortable.create(list.current!, {
      group,
      handle: '.drag-handle',
      animation: isCalm ? 0 : animationMs,
      // The drag of the browser knows no touch.
      forceFallback: true,
      fallbackOnBody: true,
      ghostClass: 'is-dragged',
      emptyInsertThreshold: 40,
      onEnd({ item, from, to, oldIndex, newIndex }) {
        // The row goes back: rendering the new order moves it.
        item.remove()
        from.insertBefore(item, from.children[oldIndex!] ?? null)
        if (from === to && oldIndex === newIndex) return
        drop.current({ id: item.dataset['id']!, from: nameOf(from), to: nameOf(to), index: newIndex! })
      },
    })
    return () => sortable.destroy()
  }, [group])
  return (
    <ul ref={list} class="rows" data-list={name} aria-label={label}>
      {children}
    </ul>
  )
}

const nameOf = (list: HTMLElement): string => list.dataset['list']!

/** Only for pointers: the keyboard needs buttons of its own. */
export function DragHandle() {
  return (
    <span class="drag-handle">
      <Icon of={GripVertical} />
    </span>
  )
}
