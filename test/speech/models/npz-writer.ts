/**
 * Writes archives like `numpy.savez` and `numpy.savez_compressed`: zip64 sizes in the local headers, real ones in the
 * directory, and 128 bytes of header before the values.
 */
import { crc32, deflateRawSync } from 'node:zlib'

export type NpzEntry = { readonly shape: readonly number[]; readonly values: Float32Array; readonly descr?: string }

export function writeNpz(arrays: Readonly<Record<string, NpzEntry>>, { compressed = false } = {}): Uint8Array {
  const files: Uint8Array[] = []
  const directory: Uint8Array[] = []
  let offset = 0
  for (const [name, entry] of Object.entries(arrays)) {
    const plain = npy(entry)
    const packed = compressed ? deflateRawSync(plain) : plain
    const fileName = new TextEncoder().encode(`${name}.npy`)
    const common = new DataView(new ArrayBuffer(26))
    common.setUint16(0, 45, true)
    common.setUint16(4, compressed ? 8 : 0, true)
    common.setUint32(10, crc32(plain), true)
    common.setUint32(14, packed.length, true)
    common.setUint32(18, plain.length, true)
    common.setUint16(22, fileName.length, true)

    const local = new Uint8Array(30 + fileName.length + 20)
    const localView = new DataView(local.buffer)
    localView.setUint32(0, 0x04034b50, true)
    local.set(new Uint8Array(common.buffer), 4)
    localView.setUint32(18, 0xffffffff, true)
    localView.setUint32(22, 0xffffffff, true)
    localView.setUint16(28, 20, true)
    local.set(fileName, 30)
    localView.setUint16(30 + fileName.length, 1, true)
    localView.setUint16(32 + fileName.length, 16, true)
    localView.setBigUint64(34 + fileName.length, BigInt(plain.length), true)
    localView.setBigUint64(42 + fileName.length, BigInt(packed.length), true)

    const central = new Uint8Array(46 + fileName.length)
    const centralView = new DataView(central.buffer)
    centralView.setUint32(0, 0x02014b50, true)
    centralView.setUint16(4, 45, true)
    central.set(new Uint8Array(common.buffer), 6)
    centralView.setUint32(42, offset, true)
    central.set(fileName, 46)

    files.push(local, packed)
    directory.push(central)
    offset += local.length + packed.length
  }
  const directoryBytes = directory.reduce((total, { length }) => total + length, 0)
  const end = new DataView(new ArrayBuffer(22))
  end.setUint32(0, 0x06054b50, true)
  end.setUint16(8, directory.length, true)
  end.setUint16(10, directory.length, true)
  end.setUint32(12, directoryBytes, true)
  end.setUint32(16, offset, true)
  return Buffer.concat([...files, ...directory, new Uint8Array(end.buffer)])
}

function npy({ shape, values, descr = '<f4' }: NpzEntry): Uint8Array {
  const sizes = shape.length === 1 ? `${shape[0]},` : shape.join(', ')
  const dictionary = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${sizes}), }`
  const header = new Uint8Array(128).fill(0x20)
  header.set([0x93, ...new TextEncoder().encode('NUMPY'), 1, 0, 118, 0])
  header.set(new TextEncoder().encode(dictionary), 10)
  header[127] = 0x0a
  return Buffer.concat([header, new Uint8Array(values.buffer, values.byteOffset, values.byteLength)])
}
