/**
 * Rewrites a graph in memory with few changes: exposes inner values as outputs, makes noise repeatable, gives
 * convolutions another form, and gives rows instead of columns. All other bytes stay the same.
 */
import { assert } from '../../errors'
import type { ConvolutionForm } from '../voice'
import { editConvolutions } from './convolutions'
import { encodeNode, encodeOutput, header, type Made } from './encode'
import type { GraphInfo } from './file'
import { isRepeatable, noiseReplacements } from './noise'
import type { Rows } from './rows'
import { walk, type Bytes, type Span } from './wire'

export type Changes = {
  /** Values of the main graph to add as outputs. */
  readonly expose: readonly string[]
  /** Makes all noise repeatable; requires `isRepeatable`. */
  readonly repeatNoise: boolean
  /** One of `formsOf`, or the form of the file. */
  readonly convolutions?: ConvolutionForm
  /** Becomes the last output, in place of the outputs that it was found for. */
  readonly rows?: Rows
}

type Piece = Span | Uint8Array | Made

const modelGraph = 7

/** `bytes`: the file behind `info`. */
export function rewriteGraph(bytes: Bytes, info: GraphInfo, changes: Changes): Uint8Array<ArrayBuffer> {
  const { repeatNoise, convolutions = 'as_exported', rows } = changes
  const expose = rows ? [...changes.expose, rows.value] : changes.expose
  assert(!repeatNoise || isRepeatable(info), 'the noise of the graph can be made repeatable')
  const edits = convolutions === 'as_exported' ? undefined : editConvolutions(bytes, convolutions, expose)
  const replacements = new Map<number, readonly Piece[]>(edits?.replacements)
  if (repeatNoise)
    for (const [i, nodes] of noiseReplacements(info).entries())
      replacements.set(info.noise[i]!.start!, nodes.map(encodeNode))
  for (const start of rows?.starts ?? []) replacements.set(start, [])
  const pieces: Piece[] = []
  let copied = 0
  walk(bytes, (field) => {
    if (field.number !== modelGraph) return
    const inner: Piece[] = []
    const { start } = field
    let from = -1
    const span = field.message((part) => {
      // The first field begins with the graph.
      if (from < 0) from = part.start
      const replacement = replacements.get(part.start)
      if (!replacement) return
      const before = { start: from, end: part.start }
      from = part.span().end
      inner.push(before, ...replacement)
    })
    if (inner.length === 0) return
    inner.push({ start: from, end: span.end })
    pieces.push({ start: copied, end: start }, header(modelGraph, sizeOf(inner)), ...inner)
    copied = span.end
  })
  pieces.push({ start: copied, end: bytes.length })
  const additions: Piece[] = [...(edits?.additions ?? []), ...expose.map(encodeOutput)]
  // Protobuf merges messages: a second GraphProto extends the first.
  if (additions.length > 0) pieces.push(header(modelGraph, sizeOf(additions)), ...additions)
  return join(bytes, pieces)
}

function sizeOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, piece) => {
    if ('sizeBytes' in piece) return sum + piece.sizeBytes
    return sum + ('start' in piece ? piece.end - piece.start : piece.length)
  }, 0)
}

/** Reads unchanged parts directly to their destination, so that the file is in memory only once. */
function join(bytes: Bytes, pieces: readonly Piece[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(sizeOf(pieces))
  let at = 0
  for (const piece of pieces) {
    const into = joined.subarray(at, at + sizeOf([piece]))
    if ('sizeBytes' in piece) piece.fill(into)
    else if ('start' in piece) bytes.read(piece.start, into)
    else into.set(piece)
    at += into.length
  }
  return joined
}
