/**
 * Faults on demand, for tests of programs that use the service. In ephemeral mode a request may name the stage at which
 * it fails. The fault is injected at the place of the real failure, so that everything after it is real.
 */
import { refuse } from './fields'

export const faultNames = [
  'synthesis_failed',
  'synthesis_timeout',
  'speed_processing_failed',
  'transcode_failed',
  'storage_failed',
  'charge_failed',
  'render_failed',
  'url_fetch_failed',
] as const
export type FaultName = (typeof faultNames)[number]

export type Faults = {
  readonly name: FaultName | undefined
  /** Delay added to the work, milliseconds. */
  readonly latencyMs: number
}

export const noFaults: Faults = { name: undefined, latencyMs: 0 }

export const faultHeader = 'X-Sonant-Fault'
const latencyMaxMs = 60_000

/** Parses one name, `latency=<ms>`, or both, separated by a comma. Throws `invalid_params`. */
export function parseFaults(header: string): Faults {
  let faults = noFaults
  for (const part of header.split(',').map((text) => text.trim())) {
    const name = faultNames.find((known) => known === part)
    const latencyMs = Number(/^latency=(\d{1,5})$/.exec(part)?.[1] ?? Number.NaN)
    if (name) faults = { ...faults, name }
    else if (latencyMs <= latencyMaxMs) faults = { ...faults, latencyMs }
    else throw refuse(faultHeader, part, `${faultNames.join(', ')} or latency=0 to latency=${latencyMaxMs} is allowed`)
  }
  return faults
}
