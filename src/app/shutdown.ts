/** Stops the server in order: no new requests, a grace period for the running ones, then workers, server and stores. */
import { limits } from '../config'
import type { DescriptorGuard } from '../process/descriptors'
import type { Server } from './listening'
import type { Services } from './services'
import type { Stores } from './stores'
import type { Upkeep } from './upkeep'

const drainPollMs = 20
/** Time to send the answers of aborted requests when the server stops. */
const lastAnswersMs = 1_000

export type Shutdown = {
  /** Lets running requests finish for a while, then ends everything. */
  close(): Promise<void>
  /** Ends the grace period of a running `close`. */
  hurry(): void
}

export function createShutdown(
  { lock, db }: Stores,
  { demos, installer, registry, speaking, speech, cloning }: Services,
  {
    server,
    upkeep,
    stop,
    descriptors,
  }: {
    server: Server
    upkeep: Upkeep
    /** Aborted first: routes then refuse new requests. */
    stop: AbortController
    descriptors: () => DescriptorGuard | undefined
  },
): Shutdown {
  let graceEndsAtMs = Infinity

  async function drain(): Promise<void> {
    graceEndsAtMs = performance.now() + limits.shutdownGraceMs
    while (server.pendingRequests + speaking.running.size > 0 && performance.now() < graceEndsAtMs)
      await Bun.sleep(drainPollMs)
  }

  /** Lets aborted requests send their answers. */
  async function sendLastAnswers(): Promise<void> {
    const answeredByMs = performance.now() + lastAnswersMs
    while (server.pendingRequests > 0 && performance.now() < answeredByMs) await Bun.sleep(drainPollMs)
  }

  return {
    async close() {
      stop.abort()
      demos.stop()
      await installer.close()
      upkeep.stop()
      await registry.close()
      await drain()
      speech.scheduler.close()
      await cloning.downloader.close()
      await Promise.allSettled(speaking.running.values())
      await sendLastAnswers()
      descriptors()?.close()
      await server.stop(true)
      upkeep.run()
      db.close()
      lock.release()
    },
    hurry() {
      graceEndsAtMs = 0
    },
  }
}
