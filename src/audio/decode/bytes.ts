/** Reads numbers and names from untrusted headers. Bytes beyond the end read as zero. */

/** Big endian. */
export function uint16(bytes: Uint8Array, at: number): number {
  return (bytes[at]! << 8) | bytes[at + 1]!
}

/** Big endian. */
export function uint32(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0
}

/** Big endian. Values above 2⁵³ are rounded; no file is that long. */
export function uint64(bytes: Uint8Array, at: number): number {
  return uint32(bytes, at) * 2 ** 32 + uint32(bytes, at + 4)
}

export function uint16le(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8)
}

export function uint32le(bytes: Uint8Array, at: number): number {
  return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0
}

export function uint64le(bytes: Uint8Array, at: number): number {
  return uint32le(bytes, at + 4) * 2 ** 32 + uint32le(bytes, at)
}

/** Whether `text`, one byte a character, stands at `at`. */
export function isAt(bytes: Uint8Array, at: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false
  return true
}

/** One character per byte; shorter at the end of the bytes. */
export function ascii(bytes: Uint8Array, at: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + length))
}
