/** Data of the service for a part of a page: loading, loaded or failed. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { ApiError, isSessionEnd } from './client'
import { session } from './session'

export type Load<Data> = {
  /** The last data that came; it stays while newer data loads. */
  readonly data: Data | undefined
  readonly error: ApiError | undefined
  readonly isLoading: boolean
  /** Loads again. */
  readonly reload: () => void
  /** Replaces the data after a change that the page knows. */
  readonly set: (data: Data) => void
}

const asApiError = (error: unknown): ApiError =>
  error instanceof ApiError ? error : new ApiError('internal_error', String(error), 0, undefined, undefined, undefined)

/** Loads data again whenever one of `inputs` changes; an answer to older inputs is dropped. */
export function useLoad<Data>(load: () => Promise<Data>, inputs: readonly unknown[]): Load<Data> {
  /** `by`: the call that loaded the data; another one is for other inputs. */
  type State = { data?: Data; by?: () => void; error?: ApiError; isLoading: boolean }
  const [state, setState] = useState<State>({ isLoading: true })
  const turn = useRef(0)
  const run = useCallback(() => {
    const mine = ++turn.current
    setState((now) => ({ ...now, isLoading: true }))
    load().then(
      (data) => mine === turn.current && setState({ data, by: run, isLoading: false }),
      (error: unknown) => {
        if (mine !== turn.current) return
        // Data for other inputs must not stand there as if it were for these.
        const kept = (now: State) => (now.by === run ? now : {})
        setState((now) => ({ ...kept(now), error: asApiError(error), isLoading: false }))
      },
    )
  }, inputs)
  useEffect(() => {
    run()
    return () => void turn.current++
  }, [run])
  // An answer that is still on its way is older than the change.
  const set = useCallback(
    (data: Data) => {
      turn.current++
      setState({ data, by: run, isLoading: false })
    },
    [run],
  )
  useAfterSignIn(state.error, run)
  return { data: state.data, error: state.error, isLoading: state.isLoading, reload: run, set }
}

/** Runs `retry` when the person has signed in again after an error that the end of the session made. */
function useAfterSignIn(error: ApiError | undefined, retry: () => void): void {
  const latest = useRef(retry)
  latest.current = retry
  const hasEnded = error !== undefined && isSessionEnd(error)
  useEffect(() => {
    if (hasEnded) return session.subscribe(({ kind }) => kind === 'in' && latest.current())
  }, [hasEnded])
}

/**
 * Loads data now and again every `intervalMs` while the page is visible and the session lasts. A slow answer is awaited:
 * to ask again before it comes would drop it.
 */
export function usePoll<Data>(
  load: () => Promise<Data>,
  intervalMs: number,
  inputs: readonly unknown[] = [],
): Load<Data> {
  const loaded = useLoad(load, inputs)
  const latest = useRef(loaded)
  latest.current = loaded
  useEffect(() => {
    const timer = setInterval(() => {
      const { isLoading, reload } = latest.current
      if (!isLoading && document.visibilityState === 'visible' && session.peek().kind === 'in') reload()
    }, intervalMs)
    return () => clearInterval(timer)
  }, [intervalMs])
  return loaded
}

type Chunk<Item> = { readonly items: readonly Item[]; readonly next_cursor: string | null }

export type Pages<Item> = {
  readonly items: readonly Item[]
  readonly error: ApiError | undefined
  readonly isLoading: boolean
  readonly hasMore: boolean
  /** Loads the next page; without effect while one loads or after the last one. */
  readonly loadMore: () => void
  /** Begins again with the first page. */
  readonly reload: () => void
  /** Replaces items after a change that the page knows. */
  readonly update: (change: (items: readonly Item[]) => readonly Item[]) => void
}

/** Loads a list page by page. It begins again whenever one of `inputs` changes. */
export function usePages<Item>(
  loadPage: (cursor: string | undefined) => Promise<Chunk<Item>>,
  inputs: readonly unknown[],
): Pages<Item> {
  type State = { items: readonly Item[]; cursor: string | null | undefined; error?: ApiError; isLoading: boolean }
  const [state, setState] = useState<State>({ items: [], cursor: undefined, isLoading: true })
  const turn = useRef(0)

  /** Loads the page at the cursor; undefined: the first one, which replaces all items. */
  const load = useCallback((cursor: string | undefined) => {
    const mine = ++turn.current
    setState((now) => ({ ...now, isLoading: true, error: undefined }))
    loadPage(cursor).then(
      ({ items, next_cursor }) => {
        if (mine !== turn.current) return
        // A change may have updated the earlier items meanwhile.
        const join = (now: State) => (cursor === undefined ? items : [...now.items, ...items])
        setState((now) => ({ items: join(now), cursor: next_cursor, isLoading: false }))
      },
      (error: unknown) => {
        if (mine !== turn.current) return
        // Items of another filter must not stand there as if they were those of this one.
        const kept = (now: State) => (cursor === undefined ? { items: [], cursor: undefined } : now)
        setState((now) => ({ ...kept(now), error: asApiError(error), isLoading: false }))
      },
    )
  }, inputs)
  const reload = useCallback(() => load(undefined), [load])
  useEffect(() => {
    reload()
    return () => void turn.current++
  }, [reload])
  useAfterSignIn(state.error, () => load(state.cursor ?? undefined))

  return {
    items: state.items,
    error: state.error,
    isLoading: state.isLoading,
    hasMore: state.cursor !== null,
    loadMore: () => {
      if (!state.isLoading && state.cursor !== null) load(state.cursor)
    },
    reload,
    update: (change) => setState((now) => ({ ...now, items: change(now.items) })),
  }
}
