/** Whether a key works, as one word. */
import type { Schema } from '../../client/client'

export type Key = Schema<'Key'>
export type KeyState = 'active' | 'ending' | 'revoked' | 'expired'

/** `ending`: another key has replaced it, and its time of grace runs. */
export function stateOf({ status, expires_at, revokes_at }: Key, nowMs = Date.now()): KeyState {
  if (status === 'revoked' || (revokes_at && Date.parse(revokes_at) <= nowMs)) return 'revoked'
  if (expires_at && Date.parse(expires_at) <= nowMs) return 'expired'
  return revokes_at ? 'ending' : 'active'
}
