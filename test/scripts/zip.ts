/** Makes zip files, sound and hostile ones. Libraries refuse to write the latter. */
import { deflateRawSync } from 'node:zlib'

export type ZipEntry = {
  readonly name: string
  readonly bytes: Uint8Array
  /** The size that the directory states instead of the true one. */
  readonly statedBytes?: number
}

export function makeZip(entries: readonly ZipEntry[]): Uint8Array {
  const records: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, bytes, statedBytes = bytes.length } of entries) {
    const packed = deflateRawSync(bytes)
    const path = Buffer.from(name)
    // From the needed version to the length of the extra field; both kinds of header have these.
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(0x0800, 2)
    common.writeUInt16LE(8, 4)
    common.writeUInt32LE(Bun.hash.crc32(bytes), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(statedBytes, 18)
    common.writeUInt16LE(path.length, 22)
    const local = Buffer.concat([signature(0x04034b50), common, path, packed])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset, 10)
    directory.push(Buffer.concat([signature(0x02014b50), Buffer.from([20, 0]), common, rest, path]))
    records.push(local)
    offset += local.length
  }
  const sizeBytes = directory.reduce((sum, { length }) => sum + length, 0)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(entries.length, 4)
  end.writeUInt16LE(entries.length, 6)
  end.writeUInt32LE(sizeBytes, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...records, ...directory, signature(0x06054b50), end])
}

function signature(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
