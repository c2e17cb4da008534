/**
 * Downloads from URLs that customers name, without exposing the operator's network or blocking the server. The main
 * process checks every address. A limited number of child processes (`download/`) read the data of foreign servers.
 * Their code is loaded on first use.
 */
import type { Deadline } from '../deadline'
import { AppError } from '../errors'
import type { Downloaded, FollowOptions } from './download/follow'
import { createTurns } from './download/turns'
import { parseUrl } from './url'

export type Downloader = ReturnType<typeof createDownloader>

export type DownloaderOptions = Omit<FollowOptions, 'limits'> & {
  readonly limits: FollowOptions['limits'] & {
    /** Time from the call to the last byte, including the wait for a turn. */
    readonly timeoutMs: number
    readonly runningMax: number
    readonly waitingMax: number
  }
}

type DownloadOptions = {
  /** Path of an empty file. */
  readonly path: string
  readonly sizeBytesMax: number
  /** Keys take turns. */
  readonly key: string
  /** Deadline of the whole operation. */
  readonly deadline?: Deadline
  readonly signal?: AbortSignal
}

export function createDownloader(options: DownloaderOptions) {
  const { limits } = options
  const turns = createTurns(limits)
  const running = new Set<{ stop: AbortController; done: Promise<void> }>()

  return {
    /**
     * Downloads `url` into the file at `path`, without fsync. Throws `invalid_url`, `url_blocked`, `url_too_large`,
     * `url_fetch_failed`, `rate_limited` (too many wait), `storage_failed`, `shutting_down`, and `client_gone` when
     * `signal` aborts.
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

    /** Ends all running and waiting downloads with `shutting_down`. Resolves once their processes are gone. */
    async close(): Promise<void> {
      const message = 'The service is stopping; nothing was charged.'
      for (const { stop } of running) stop.abort(new AppError('shutting_down', message, { retryAfterSeconds: 5 }))
      await Promise.all([...running].map(({ done }) => done))
    },
  }
}

function tookTooLong(timeoutMs: number, hasTurn: boolean): AppError {
  const what = hasTurn ? 'the download took longer than' : 'the download waited behind others for'
  return new AppError('url_fetch_failed', `url: ${what} ${Math.round(timeoutMs) / 1000} s.`, { param: 'url' })
}
