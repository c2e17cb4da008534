/** Memory of other processes: resident size, and a limit that the kernel enforces. Linux only. */
import { readFileSync } from 'node:fs'
import { openLibc } from './libc'

/** Resident memory of a process on Linux; 0 elsewhere. */
export function residentBytes(pid: number): number {
  return readStatus(pid, 'VmRSS')
}

/**
 * Lets the private writable memory of a running process grow by at most `sizeBytes` (RLIMIT_DATA; Linux since 4.7
 * counts all of it). It limits growth, because JavaScriptCore reserves several gigabytes at its start, which count. The
 * kernel refuses more, so a native allocation fails. Returns false where that is not possible.
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

/** A size from `/proc/PID/status`, in bytes; 0 if it is missing. */
function readStatus(pid: number, field: 'VmRSS' | 'VmData'): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return 1024 * Number(new RegExp(`^${field}:\\s*(\\d+) kB`, 'm').exec(status)?.[1] ?? 0)
  } catch {
    return 0
  }
}
