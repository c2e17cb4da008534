/**
 * Locates the data segments of a WebAssembly module (core specification 1.0, section 5.5), which separate a program's
 * constants from its variables.
 */

type DataSegment = { readonly start: number; readonly bytes: Uint8Array }

const headerBytes = 8
const dataSection = 11
const activeSegment = 0
const i32Const = 0x41
const endOfExpression = 0x0b

/** The active data segments, in order. Throws on a module with any other kind. */
export function dataSegments(module: Uint8Array): DataSegment[] {
  let at = headerBytes
  const byte = () => module[at++]!
  /** LEB128; addresses are below 2^31, so signed and unsigned agree. */
  const number = () => {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const next = byte()
      value |= (next & 0x7f) << shift
      if (next < 0x80) return value
    }
  }
  const expect = (value: number) => {
    if (byte() !== value) throw new Error('the WebAssembly module has an unusual data segment')
  }
  while (at < module.length) {
    const section = byte()
    const sizeBytes = number()
    if (section !== dataSection) {
      at += sizeBytes
      continue
    }
    return Array.from({ length: number() }, () => {
      expect(activeSegment)
      expect(i32Const)
      const start = number()
      expect(endOfExpression)
      const length = number()
      at += length
      return { start, bytes: module.slice(at - length, at) }
    })
  }
  return []
}
