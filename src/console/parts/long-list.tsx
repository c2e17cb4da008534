/** Renders a long list, which is already loaded, a part at a time: thousands of entries would stop the page. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { EndlessList } from './table'

const itemsAtOnce = 60

type Props<Item> = {
  readonly of: readonly Item[]
  /** In place of a list without entries. */
  readonly empty?: ComponentChildren
  readonly children: (shown: readonly Item[]) => ComponentChildren
}

/** Another `key`, such as another filter, begins again with the first part. */
export function LongList<Item>({ of, empty = null, children }: Props<Item>) {
  const [count, setCount] = useState(itemsAtOnce)
  const pages = {
    items: of.slice(0, count),
    error: undefined,
    isLoading: false,
    hasMore: count < of.length,
    loadMore: () => setCount(count + itemsAtOnce),
    reload: () => setCount(itemsAtOnce),
    update: () => {},
  }
  return (
    <EndlessList of={pages} empty={empty}>
      {children}
    </EndlessList>
  )
}
