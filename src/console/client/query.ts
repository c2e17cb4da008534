/** State of a page that a refresh and the back button keep: it stands in the address. */
import { useLocation } from 'preact-iso'
import { useCallback } from 'preact/hooks'

/**
 * A value of the query string; '' where it is missing. Setting '' removes it. A change replaces the address, so that the
 * back button leads to the page before.
 */
export function useQuery(name: string): [string, (value: string) => void] {
  const { query, route } = useLocation()
  const set = useCallback(
    (value: string) => {
      const { pathname, search } = location
      const next = new URLSearchParams(search)
      if (value === '') next.delete(name)
      else next.set(name, value)
      route(next.size > 0 ? `${pathname}?${next}` : pathname, true)
    },
    [name, route],
  )
  return [query[name] ?? '', set]
}
