/** The C library on Linux, for the few calls that Bun does not offer. Loaded on first use. */
import type { FFIFunction, Library } from 'bun:ffi'

/** Names of glibc and musl. */
const names = ['libc.so.6', 'libc.so', '/lib/ld-musl-x86_64.so.1', '/lib/ld-musl-aarch64.so.1']

/** Opens functions of the C library; undefined if none can be opened. Pass typed arrays for pointer arguments. */
export function openLibc<const Functions extends Record<string, FFIFunction>>(
  functions: Functions,
): Library<Functions>['symbols'] | undefined {
  if (process.platform !== 'linux') return undefined
  const { dlopen } = require('bun:ffi') as typeof import('bun:ffi')
  for (const name of names)
    try {
      return dlopen(name, functions).symbols
    } catch {
      // Try the next name.
    }
  return undefined
}
