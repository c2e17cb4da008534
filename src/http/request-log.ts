/**
 * One log line per API request: account, key, client address, operation and result. Of the client's own input it holds
 * only the path; never a text or a key.
 */
import type { Logger } from '../log'
import { pathOf } from './path'
import { stateOf } from './request-state'

/** A longer path is cut. */
const pathCharactersMax = 200

/** `addressOf`: the address of the client. */
export function createRequestLog(log: Logger, addressOf: (request: Request) => string) {
  /** `errorCode`: the public code; undefined after success. */
  return (request: Request, status: number, errorCode?: string): void => {
    if (!log.isEnabled('info')) return
    const path = pathOf(request)
    if (!path.startsWith('/api/') && !path.startsWith('/v1/')) return
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
