/**
 * Downloading from an address that a customer names, so that it can neither be turned against the operator's network nor
 * take the server's time: every address is checked here, and what foreign servers send is read by a process of its own
 * (`download/`), a limited number at once. No start loads more than this file.
 */
import type { Deadline } from '../deadline'
import { AppError } from '../errors'
import type { Downloaded, FollowOptions } from './download/follow'
import { createTurns } from './download/turns'
import { parseUrl } from './url'

export type Downloader = ReturnType<typeof createDownloader>

export type DownloaderOptions = Omit<FollowOptions, 'limits'> & {
  readonly limits: FollowOptions['limits'] & {
    /** From the call to the last byte, with the wait for a turn. */
    readonly timeoutMs: number
    readonly runningMax: number
    readonly waitingMax: number
  }
}

type DownloadOptions = {
  /** An empty file. */
  readonly path: string
  readonly sizeBytesMax: number
  /** Keys share the turns. */
  readonly key: string
  /** Of the operation that the download is a part of. */
  readonly deadline?: Deadline
  readonly signal?: AbortSignal
}

export function createDownloader(options: DownloaderOptions) {
  const { limits } = options
  const turns = createTurns(limits)
  const running = new Set<{ stop: AbortController; done: Promise<void> }>()

  return {
    /**
     * Downloads what is at `url` into the file at `path`; it is not made durable. Throws `invalid_url`, `url_blocked`,
     * `url_too_large`, `url_fetch_failed`, `rate_limited` (too many wait), `storage_failed`, `shutting_down`, and
     * `client_gone` on `signal`.
     */
    async download(url: string, { key, deadline, signal, ...target }: DownloadOptions): Promise<Downloaded> {
      const first = parseUrl(url)
      const stop = new AbortController()
      const done = Promise.withResolvers<void>()
      const entry = { stop, done: done.promise }
      running.add(entry)
      const timeoutMs = Math.min(limits.timeoutMs, deadline?.remainingMs() ?? Infinity)
      let hasTurn = false
      const giveUp = () => stop.abort(tookTooLong(timeoutMs, hasTurn))
      const leave = () => stop.abort(new AppError('client_gone', 'The client left during the download.'))
      const timer = setTimeout(giveUp, timeoutMs)
      signal?.addEventListener('abort', leave)
      if (signal?.aborted) leave()
      try {
        const endTurn = await turns.take(key, stop.signal)
        hasTurn = true
        try {
          const { follow } = await import('./download/follow')
          return await follow(first, { ...target, signal: stop.signal }, options)
        } finally {
          endTurn()
        }
      } finally {
        clearTimeout(timer)
        signal?.removeEventListener('abort', leave)
        running.delete(entry)
        done.resolve()
      }
    },

    /** Ends all that run and wait, with `shutting_down`. Resolves once their processes are gone. */
    async close(): Promise<void> {
      const message = 'The service is stopping; nothing was charged.'
      for (const { stop } of running) stop.abort(new AppError('shutting_down', message, { retryAfterSeconds: 5 }))
      await Promise.all([...running].map(({ done }) => done))
    },
  }
}

function tookTooLong(timeoutMs: number, hasTurn: boolean): AppError {
  const what = hasTurn ? 'the download took longer than' : 'other downloads were before it for'
  return new AppError('url_fetch_failed', `url: ${what} ${Math.round(timeoutMs) / 1000} s.`, { param: 'url' })
}
