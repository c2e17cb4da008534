/** Tables whose rows become cards on a narrow screen, and lists that load more when their end comes into view. */
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { Pages } from '../client/load'
import { words } from '../words/words'
import { Button } from './button'
import { ErrorNote } from './errors'
import { Skeleton } from './states'

export type Column<Row> = {
  readonly title: string
  readonly cell: (row: Row) => ComponentChildren
  /** Numbers stand at the right. */
  readonly isNumber?: boolean
  /** Left out on a narrow screen. */
  readonly isMinor?: boolean
}

type TableProps<Row> = {
  /** Names the table for screen readers. */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  /** The controls at the end of a row. */
  readonly actions?: ((row: Row) => ComponentChildren) | undefined
}

export function Table<Row>({ label, columns, rows, keyOf, actions }: TableProps<Row>) {
  return (
    <div class="table-frame" role="region" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map(({ title, isNumber }) => (
              <th key={title} scope="col" class={isNumber ? 'number' : undefined}>
                {title}
              </th>
            ))}
            {actions && (
              <th scope="col">
                <span class="hidden">{words.value.common.actions}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <TableRow key={keyOf(row)} columns={columns} row={row} actions={actions} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

type RowProps<Row> = Pick<TableProps<Row>, 'columns' | 'actions'> & { readonly row: Row }

/** A row is rendered again only where something of it changed: long lists keep the same `columns` and `actions`. */
function TableRow<Row>({ columns, row, actions }: RowProps<Row>) {
  return useMemo(
    () => (
      <tr>
        {columns.map(({ title, cell, isNumber, isMinor }) => (
          <td key={title} data-title={title} class={`${isNumber ? 'number' : ''} ${isMinor ? 'minor' : ''}`}>
            {cell(row)}
          </td>
        ))}
        {actions && <td class="row-actions">{actions(row)}</td>}
      </tr>
    ),
    [columns, row, actions],
  )
}

type ListProps<Item> = {
  readonly of: Pages<Item>
  /** In place of a list without entries. */
  readonly empty: ComponentChildren
  readonly children: (items: readonly Item[]) => ComponentChildren
}

/** A list that loads its next page when its end comes into view, and by a button. */
export function EndlessList<Item>({ of, empty, children }: ListProps<Item>) {
  const end = useRef<HTMLDivElement>(null)
  const { items, hasMore, isLoading, error, loadMore, reload } = of
  const mayLoad = hasMore && !isLoading && !error
  useEffect(() => {
    if (!mayLoad || !end.current) return
    const observer = new IntersectionObserver(([entry]) => entry!.isIntersecting && loadMore(), { rootMargin: '300px' })
    observer.observe(end.current)
    return () => observer.disconnect()
    // A page of a filtered list may be empty although more follow.
  }, [mayLoad, items.length])

  return (
    <>
      {items.length > 0 ? children(items) : !hasMore && !isLoading && !error && empty}
      {error && <ErrorNote error={error} onRetry={items.length > 0 ? loadMore : reload} />}
      {isLoading && <Skeleton />}
      <div ref={end}>{mayLoad && <Button onClick={loadMore}>{words.value.common.more}</Button>}</div>
    </>
  )
}
