/** The memory of other processes: how much they have, and a limit that the kernel keeps. Linux only. */
import { readFileSync } from 'node:fs'
import { openLibc } from './libc'

/** Resident memory of a process where the system tells (Linux), else 0. */
export function residentBytes(pid: number): number {
  return readStatus(pid, 'VmRSS')
}

/**
 * Lets the private writable memory of a running process grow by at most `sizeBytes` (RLIMIT_DATA; Linux since 4.7 counts
 * all of it). Growth, because JavaScriptCore reserves several gigabytes at its start that count already. What is beyond,
 * the kernel refuses: a native allocation fails. False where that cannot be done.
 */
export function limitMemoryGrowth(pid: number, sizeBytes: number): boolean {
  const reservedBytes = readStatus(pid, 'VmData')
  if (reservedBytes === 0) return false
  const limit = BigInt(reservedBytes + Math.round(sizeBytes))
  prlimit ??= openPrlimit()
  return prlimit(pid, dataResource, BigUint64Array.of(limit, limit)) === 0
}

/** RLIMIT_DATA. */
const dataResource = 2

let prlimit: ((pid: number, resource: number, limits: BigUint64Array) => number) | undefined

function openPrlimit(): NonNullable<typeof prlimit> {
  const libc = openLibc({ prlimit: { args: ['i32', 'i32', 'ptr', 'ptr'], returns: 'i32' } })
  return libc ? (pid, resource, limits) => libc.prlimit(pid, resource, limits, null) : () => -1
}

/** A size in `/proc/PID/status`, in bytes; 0 where there is none. */
function readStatus(pid: number, field: 'VmRSS' | 'VmData'): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return 1024 * Number(new RegExp(`^${field}:\\s*(\\d+) kB`, 'm').exec(status)?.[1] ?? 0)
  } catch {
    return 0
  }
}
