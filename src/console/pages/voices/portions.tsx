/** Shows a long list that is already loaded in portions, so that thousands of entries do not stop the page. */
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { EndlessList } from '../../parts/table'

const portion = 60

type Props<Item> = {
  readonly of: readonly Item[]
  readonly children: (shown: readonly Item[]) => ComponentChildren
}

export function Portions<Item>({ of, children }: Props<Item>) {
  const [count, setCount] = useState(portion)
  useEffect(() => setCount(portion), [of])
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
    <EndlessList of={pages} empty={null}>
      {children}
    </EndlessList>
  )
}
