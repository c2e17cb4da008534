/** Installs packs in the background of a running server, one at a time. */
import { AppError } from '../../errors'
import type { Logger } from '../../log'
import { folderOfPack } from './folder'
import type { PullOptions, PullResult } from './pull'

export type Install = {
  readonly name: string
  /** The folder that the pack gets. */
  readonly id: string
  /** `installed` also when the same pack was there before. */
  readonly state: 'waiting' | 'downloading' | 'installed' | 'failed' | 'cancelled'
  readonly receivedBytes: number
  /** null until the hub answers. */
  readonly sizeBytes: number | null
  /** Folder of the pack, once the hub has answered. */
  readonly folder: string | null
  /** Its licence, once the hub has answered; null also without one. */
  readonly license: string | null
  /** The failure in one sentence. */
  readonly reason: string | null
}

export type Installer = ReturnType<typeof createInstaller>

export type InstallerOptions = {
  readonly pull: (
    name: string,
    options: Required<Pick<PullOptions, 'signal' | 'onPlan' | 'onProgress' | 'onWarning'>>,
  ) => Promise<PullResult>
  /** Removes the received files of a pull that has ended early. */
  readonly discard: (id: string) => Promise<void>
  readonly log: Logger
}

const waitingMax = 16
/** Number of remembered finished installs. */
const endedMax = 32

export function createInstaller({ pull, discard, log }: InstallerOptions) {
  /** By name, in order of request. */
  const installs = new Map<string, Install>()
  const stop = new AbortController()
  let running: Promise<void> | undefined
  /** The install that is downloading. */
  let current: { readonly cancelling: AbortController; readonly ended: Promise<void> } | undefined

  function change(name: string, changes: Partial<Install>): void {
    installs.set(name, { ...installs.get(name)!, ...changes })
  }

  async function run(): Promise<void> {
    for (;;) {
      const next = [...installs.values()].find(({ state }) => state === 'waiting')
      if (!next || stop.signal.aborted) return
      const cancelling = new AbortController()
      current = { cancelling, ended: install(next.name, cancelling.signal) }
      await current.ended
      current = undefined
      const ended = [...installs.values()].filter(isEnded)
      for (const { name } of ended.slice(0, Math.max(0, ended.length - endedMax))) installs.delete(name)
    }
  }

  async function install(name: string, cancelled: AbortSignal): Promise<void> {
    change(name, { state: 'downloading' })
    log.info({ pack: name }, 'installing a pack')
    try {
      const { plan, directory, wasThere } = await pull(name, {
        signal: AbortSignal.any([stop.signal, cancelled]),
        onPlan: ({ folder, sizeBytes, license }) => change(name, { folder, sizeBytes, license }),
        onProgress: ({ receivedBytes }) => change(name, { receivedBytes }),
        onWarning: (warning) => log.warn({ pack: name, warning }, 'the installed pack has a problem'),
      })
      change(name, { state: 'installed', receivedBytes: plan.sizeBytes })
      log.info({ pack: name, directory, license: plan.license, wasThere }, 'installed a pack')
    } catch (error) {
      if (stop.signal.aborted) return change(name, { state: 'waiting' })
      if (cancelled.aborted) return await endCancelled(name)
      change(name, { state: 'failed', reason: (error as Error).message })
      log.error({ pack: name, err: error }, 'cannot install a pack')
    }
  }

  async function endCancelled(name: string): Promise<void> {
    await discard(installs.get(name)!.id).catch((error) =>
      log.warn({ pack: name, err: error }, 'cannot remove the files of a cancelled installation'),
    )
    change(name, { state: 'cancelled', receivedBytes: 0 })
    log.info({ pack: name }, 'the installation of a pack was cancelled')
  }

  return {
    /**
     * Queues an install and returns its state. A running or waiting install is not queued again. `name`: as returned by
     * `checkPackName`. Throws `rate_limited` when too many wait.
     */
    start(name: string): Install {
      const known = installs.get(name)
      if (known && !isEnded(known)) return known
      if ([...installs.values()].filter(({ state }) => state === 'waiting').length >= waitingMax)
        throw new AppError('rate_limited', `${waitingMax} packs are waiting to be installed.`, {
          retryAfterSeconds: 60,
        })
      installs.delete(name)
      const nothing = { receivedBytes: 0, sizeBytes: null, folder: null, license: null, reason: null }
      const install: Install = { name, id: folderOfPack(name), state: 'waiting', ...nothing }
      installs.set(name, install)
      // Starts asynchronously, so that the caller can record its request first.
      running = (running ?? Promise.resolve()).then(run)
      return install
    },
    /**
     * Cancels a waiting or running install, removes its received files, and returns its state; an ended one stays as it
     * is. undefined: there is no such install.
     */
    async cancel(id: string): Promise<Install | undefined> {
      const install = [...installs.values()].find((one) => one.id === id)
      if (install?.state === 'waiting') change(install.name, { state: 'cancelled' })
      if (install?.state === 'downloading' && current) {
        current.cancelling.abort(new Error('cancelled'))
        await current.ended
      }
      return install && installs.get(install.name)
    },
    /** Running, waiting, and recently finished installs. */
    status: (): readonly Install[] => [...installs.values()],
    /** Interrupts the install; the next pull resumes it. */
    async close(): Promise<void> {
      stop.abort(new Error('the server is stopping'))
      await running
    },
  }
}

function isEnded({ state }: Install): boolean {
  return state === 'installed' || state === 'failed' || state === 'cancelled'
}
