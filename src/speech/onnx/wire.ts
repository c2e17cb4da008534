/**
 * Walks through a Protocol Buffers file (https://protobuf.dev/programming-guides/encoding) without loading it. It reads
 * only requested fields, so hundreds of megabytes of parameters cost a few small reads. The file is not mapped into
 * memory: `Bun.mmap` needs write permission, and truncating a mapped file would end the process.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { PbfReader } from 'pbf'

/** The fault of a graph's file; `message` continues after the file's name. */
export class BadGraphFile extends Error {
  override readonly name = 'BadGraphFile'
}

export type Bytes = {
  readonly length: number
  /** Fills `into` from offset `start` on. Throws `BadGraphFile` at the end of the file. */
  read(start: number, into: Uint8Array): void
}

export type FileBytes = Bytes & Disposable

/** Opens a file for random access. Throws file system errors. */
export function openFileBytes(path: string): FileBytes {
  const file = openSync(path, 'r')
  return {
    length: fstatSync(file).size,
    read(start, into) {
      for (let done = 0; done < into.length;) {
        const count = readSync(file, into, done, into.length - done, start + done)
        if (count === 0) throw new BadGraphFile('ends too early')
        done += count
      }
    },
    [Symbol.dispose]: () => closeSync(file),
  }
}

/** A file in memory. */
export function bytesOf(bytes: Uint8Array): Bytes {
  return {
    length: bytes.length,
    read(start, into) {
      if (start + into.length > bytes.length) throw new BadGraphFile('ends too early')
      into.set(bytes.subarray(start, start + into.length))
    },
  }
}

/** The current field of a walk. Its value can be read at most once, or skipped. Reading it as another type throws. */
export type Field = {
  readonly number: number
  /** Offset of the field in the file, including its tag. */
  readonly start: number
  /** Signed, exact up to 2⁵³. */
  integer(): number
  /** Integers of a repeated field, packed or not. */
  integers(): number[]
  float(): number
  /** At most 4 MiB. */
  text(): string
  /** Skips the value; returns its size without the length prefix. */
  skip(): number
  /** Skips the value, which has a length prefix; returns where it is. */
  span(): Span
  /** Walks through the value as a message; returns the span of its fields. */
  message(visit: Visitor): Span
}

export type Visitor = (field: Field) => void
/** A part of a file: from `start` to before `end`. */
export type Span = { readonly start: number; readonly end: number }

const textBytesMax = 4 << 20
/** Packed integers in one field; shapes have a handful. */
const packedBytesMax = 64 << 10
/** More fields than any exporter writes; bounds the time of a walk. */
const fieldsMax = 20_000_000
const depthMax = 100
const windowBytes = 16 << 10
const varintBytesMax = 10
const fieldNumberMax = 2 ** 29 - 1

const wireTypes = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const
const decoder = new TextDecoder()

/** Calls `visit` for every field of the message in `bytes`. Throws `BadGraphFile` for anything else. */
export function walk(bytes: Bytes, visit: Visitor): void {
  const walker = new Walker(bytes)
  walker.fields(visit)
}

/** One walker per file: a nested message advances it and restores its number and start. */
class Walker implements Field {
  number = 0
  start = 0
  private type = 0
  private position = 0
  private end: number
  private depth = 0
  private fieldsSeen = 0
  private window = new PbfReader(new Uint8Array(0))
  private windowStart = 0

  constructor(private readonly bytes: Bytes) {
    this.end = bytes.length
  }

  fields(visit: Visitor): void {
    while (this.position < this.end) {
      this.start = this.position
      const tag = this.varint(false)
      this.type = tag % 8
      this.number = Math.floor(tag / 8)
      if (this.number < 1 || this.number > fieldNumberMax) throw new BadGraphFile('is damaged, or is not an ONNX file')
      if (++this.fieldsSeen > fieldsMax) throw new BadGraphFile(`has more than ${fieldsMax} fields`)
      const valueStart = this.position
      visit(this)
      if (this.position === valueStart) this.skip()
    }
  }

  integer(): number {
    this.expect(wireTypes.varint)
    return this.varint(true)
  }

  integers(): number[] {
    if (this.type === wireTypes.varint) return [this.integer()]
    const stop = this.length() + this.position
    if (stop - this.position > packedBytesMax) throw new BadGraphFile('has a list that is too long')
    const values: number[] = []
    while (this.position < stop) values.push(this.varint(true))
    if (this.position !== stop) throw new BadGraphFile('is damaged, or is not an ONNX file')
    return values
  }

  float(): number {
    this.expect(wireTypes.fixed32)
    const reader = this.look(4)
    this.advance(4)
    return reader.readFloat()
  }

  text(): string {
    const count = this.length()
    if (count > textBytesMax) throw new BadGraphFile('has a text that is too long')
    const { buf, pos } = this.look(count)
    this.advance(count)
    return decoder.decode(buf.subarray(pos, pos + count))
  }

  skip(): number {
    const from = this.position
    switch (this.type) {
      case wireTypes.varint:
        this.varint(false)
        break
      case wireTypes.fixed64:
        this.advance(8)
        break
      case wireTypes.fixed32:
        this.advance(4)
        break
      default: {
        const count = this.length()
        this.advance(count)
        return count
      }
    }
    return this.position - from
  }

  span(): Span {
    const sizeBytes = this.length()
    const start = this.position
    this.advance(sizeBytes)
    return { start, end: start + sizeBytes }
  }

  message(visit: Visitor): Span {
    const count = this.length()
    const span = { start: this.position, end: this.position + count }
    const { number, start, end } = this
    this.end = span.end
    if (++this.depth > depthMax) throw new BadGraphFile('is nested too deeply')
    this.fields(visit)
    this.depth--
    Object.assign(this, { number, start, end })
    return span
  }

  private expect(type: number): void {
    if (this.type !== type) throw new BadGraphFile('is damaged, or is not an ONNX file')
  }

  /** Length of the following value, which must be complete. */
  private length(): number {
    this.expect(wireTypes.bytes)
    const count = this.varint(false)
    if (this.position + count > this.end) throw new BadGraphFile('is cut off or damaged, or is not an ONNX file')
    return count
  }

  private varint(signed: boolean): number {
    const reader = this.look(varintBytesMax)
    let last = reader.pos
    while (reader.buf[last]! >= 0x80) last++
    const count = last - reader.pos + 1
    if (count > varintBytesMax) throw new BadGraphFile('is damaged, or is not an ONNX file')
    this.advance(count)
    return reader.readVarint(signed)
  }

  private advance(count: number): void {
    if (this.position + count > this.end) throw new BadGraphFile('is cut off or damaged, or is not an ONNX file')
    this.position += count
  }

  /** A reader at the position, with at least `count` bytes unless the file ends. */
  private look(count: number): PbfReader {
    const left = this.bytes.length - this.position
    if (this.position + Math.min(count, left) > this.windowStart + this.window.length) {
      const buffer = new Uint8Array(Math.min(Math.max(windowBytes, count), left))
      this.bytes.read(this.position, buffer)
      this.window = new PbfReader(buffer)
      this.windowStart = this.position
    }
    this.window.pos = this.position - this.windowStart
    return this.window
  }
}

/** A StringStringEntryProto of onnx.proto3. */
export function readEntry(field: Field): [key: string, value: string] {
  let [key, value] = ['', '']
  field.message((inner) => {
    if (inner.number === 1) key = inner.text()
    else if (inner.number === 2) value = inner.text()
  })
  return [key, value]
}
