/** The C library of Linux, for the few calls that Bun has no function for. Loaded when it is first needed. */
import type { FFIFunction, Library } from 'bun:ffi'

/** Under its name in glibc or in musl. */
const names = ['libc.so.6', 'libc.so', '/lib/ld-musl-x86_64.so.1', '/lib/ld-musl-aarch64.so.1']

/** Where C takes an address, a typed array will do. undefined: there is none that can be opened. */
export function openLibc<const Functions extends Record<string, FFIFunction>>(
  functions: Functions,
): Library<Functions>['symbols'] | undefined {
  if (process.platform !== 'linux') return undefined
  const { dlopen } = require('bun:ffi') as typeof import('bun:ffi')
  for (const name of names)
    try {
      return dlopen(name, functions).symbols
    } catch {
      // Not this one.
    }
  return undefined
}
