/** The output file of a downloader process, hashed while it is written. Writes block; the process has no other work. */
import { closeSync, constants, openSync, writeSync } from 'node:fs'

export type Sink = ReturnType<typeof openSink>

const bufferBytes = 64 << 10

/** Opens the existing file at `path`. Small chunks are buffered. All calls throw the errors of the file system. */
export function openSink(path: string) {
  const file = openSync(path, constants.O_WRONLY | constants.O_NOFOLLOW)
  const hash = new Bun.CryptoHasher('sha256')
  const buffer = new Uint8Array(bufferBytes)
  let buffered = 0
  let sizeBytes = 0
  let isOpen = true

  function flush(): void {
    const bytes = buffer.subarray(0, buffered)
    hash.update(bytes)
    for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at, bytes.length - at)
    buffered = 0
  }

  function close(): void {
    if (isOpen) closeSync(file)
    isOpen = false
  }

  return {
    write(chunk: Uint8Array): void {
      for (let at = 0; at < chunk.length;) {
        const part = chunk.subarray(at, at + bufferBytes - buffered)
        buffer.set(part, buffered)
        buffered += part.length
        at += part.length
        if (buffered === bufferBytes) flush()
      }
      sizeBytes += chunk.length
    },
    /** Writes the rest and closes. `sha256`: lower-case hexadecimal. */
    finish(): { sizeBytes: number; sha256: string } {
      flush()
      close()
      return { sizeBytes, sha256: hash.digest('hex') }
    },
    /** Closes without writing the buffered rest. */
    close,
  }
}
