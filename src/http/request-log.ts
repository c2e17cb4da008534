/**
 * One line in the log for each API request: who asked, from where, for what, and what came of it. Never a text, a key or
 * anything else that a client wrote but for the path.
 */
import type { Logger } from '../log'
import { pathOf } from './path'
import { stateOf } from './request-state'

/** Where it is longer, only its beginning is of use. */
const pathCharactersMax = 200

/** `addressOf`: the client's. */
export function createRequestLog(log: Logger, addressOf: (request: Request) => string) {
  /** `errorCode`: as the caller sees it; undefined when the request succeeded. */
  return (request: Request, status: number, errorCode?: string): void => {
    if (!log.isEnabled('info')) return
    const path = pathOf(request)
    if (!path.startsWith('/api/')) return
    const { id: requestId, startedAtMs, caller, units, voiceId } = stateOf(request)
    const fields = {
      requestId,
      method: request.method,
      path: path.slice(0, pathCharactersMax),
      status,
      errorCode,
      durationMs: Math.round(performance.now() - startedAtMs),
      client: addressOf(request),
      accountId: caller?.accountId,
      keyId: caller?.keyId,
      voiceId,
      units,
    }
    log.info(fields, 'request')
  }
}
