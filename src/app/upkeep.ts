/**
 * Periodic work while the server runs: late outcomes, expired holds, uses of keys and sessions, late recovery, and the
 * speed of the installed voices.
 */
import { removeEndedSessions } from '../account/sessions'
import { releaseExpired } from '../billing/recovery'
import { settle } from '../billing/paid-request'
import { limits } from '../config'
import { transact } from '../db/statements'
import type { Logger } from '../log'
import { repacePacks, type Services } from './services'
import type { Stores } from './stores'

export type Upkeep = {
  /** Runs the upkeep now. Failures are logged; the next run repeats what is left. */
  run(): void
  stop(): void
}

/** `dataDirectory`: for the log. */
export function startUpkeep(
  { db, storage, recovery }: Pick<Stores, 'db' | 'storage' | 'recovery'>,
  services: Pick<Services, 'speaking' | 'keyUse' | 'sessionUse' | 'speech' | 'catalogue' | 'registry'>,
  { dataDirectory, log }: { dataDirectory: string; log: Logger },
): Upkeep {
  const { speaking, keyUse, sessionUse } = services
  const isAtWork = (requestId: string) => speaking.running.has(requestId) || speaking.unsettled.has(requestId)

  function run(): void {
    try {
      if (speaking.unsettled.size > 0) settle(speaking)
      const expired = releaseExpired(db, Date.now(), isAtWork)
      if (expired.length > 0) log.warn({ requests: expired.length }, 'expired holds were released')
      if (!keyUse.isEmpty) transact(db, () => keyUse.write())
      if (!sessionUse.isEmpty) transact(db, () => sessionUse.write())
      removeEndedSessions(db, Date.now())
      repacePacks(services)
    } catch (error) {
      log.error({ err: error }, 'upkeep failed')
    }
  }

  async function recover(): Promise<void> {
    try {
      if (await storage.isFull()) return
      recovery.run()
      clearInterval(recovering)
      log.info({ dataDirectory }, 'the disk has room again')
    } catch (error) {
      log.warn({ err: error }, 'recovery failed; it is tried again while the disk has room')
    }
  }

  const running = setInterval(run, limits.upkeepIntervalMs)
  const recovering = recovery.isDone ? undefined : setInterval(recover, limits.fullDiskPollMs)

  return {
    run,
    stop() {
      clearInterval(running)
      clearInterval(recovering)
    },
  }
}
