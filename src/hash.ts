/** SHA-256 of bytes, or of a text as UTF-8. */

/** The 32 bytes of the digest. */
export function sha256(data: string | Uint8Array): Buffer {
  return Bun.CryptoHasher.hash('sha256', data)
}

/** The digest as 64 lower-case hexadecimal digits. */
export function sha256Hex(data: string | Uint8Array): string {
  return Bun.CryptoHasher.hash('sha256', data, 'hex')
}
