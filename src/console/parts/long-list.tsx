/** Shows a long list that is already loaded in portions, so that thousands of entries do not stop the page. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { EndlessList } from './table'

const portion = 60

type Props<Item> = {
  readonly of: readonly Item[]
  /** In place of a list without entries. */
  readonly empty?: ComponentChildren
  readonly children: (shown: readonly Item[]) => ComponentChildren
}

/** Another `key`, such as another filter, begins again with the first portion. */
export function Portions<Item>({ of, empty = null, children }: Props<Item>) {
  const [count, setCount] = useState(portion)
  const pages = {
    items: of.slice(0, count),
    error: undefined,
    isLoading: false,
    hasMore: count < of.length,
    loadMore: () => setCount(count + portion),
    reload: () => setCount(portion),
    update: () => {},
  }
  return (
    <EndlessList of={pages} empty={empty}>
      {children}
    </EndlessList>
  )
}
