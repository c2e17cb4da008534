/** Opens a graph for the engines: checked, with repeatable noise, exposed values and the chosen convolutions. */
import type { ConvolutionForm } from '../voice'
import { checkGraphFile } from './check'
import type { GraphInfo } from './file'
import { isRepeatable } from './noise'
import { rewriteGraph, type Changes } from './rewrite'
import { findRows, type Rows } from './rows'
import type { Runtime, Session } from './runtime'
import { openFileBytes } from './wire'

export type OpenedGraph = {
  readonly session: Session
  /** Metadata of the file, as exported. */
  readonly metadata: Readonly<Record<string, string>>
  /** Whether the same feeds give the same outputs. */
  readonly deterministic: boolean
  /** The output with the duration of each input id; undefined when missing or not requested. */
  readonly durations: string | undefined
  /** The output with the rows; undefined when not requested, or when the graph has the requested outputs instead. */
  readonly rows: string | undefined
}

export type OpenOptions = {
  /** Where the duration of each input id is. */
  readonly durations?: DurationsPlace
  /** One of `formsOf`, or the form of the file. Only the CPU computes other forms faster. */
  readonly convolutions?: ConvolutionForm
  /** Outputs of columns, of which the program wants the rows. */
  readonly rows?: readonly string[]
}

/** A further output after the usual ones, else the first input or output of the only node of an operator. */
export type DurationsPlace = {
  /** Number of the usual outputs. */
  readonly usualOutputs: number
  readonly operator: string
  readonly side: 'input' | 'output'
}

/** The result of opening the graph of `info` with `options`, computed without opening it. */
export function planGraph(
  info: GraphInfo,
  { durations: place }: OpenOptions = {},
): { deterministic: boolean; durations: string | undefined; expose: readonly string[]; repeatNoise: boolean } {
  // onnxruntime finds external files only for an unchanged graph opened by path.
  const changeable = info.externalFiles.length === 0
  const repeatNoise = info.noise.length > 0 && changeable && isRepeatable(info)
  const further = place && info.outputs[place.usualOutputs]?.name
  const hidden = place && changeable && further === undefined ? findInner(info, place) : undefined
  return {
    deterministic: info.noise.length === 0 || repeatNoise,
    durations: further ?? hidden,
    expose: hidden === undefined ? [] : [hidden],
    repeatNoise,
  }
}

function findInner(info: GraphInfo, { operator, side }: DurationsPlace): string | undefined {
  if (info.operators.get(operator) !== 1) return undefined
  return (side === 'input' ? info.inputsByOperator : info.outputsByOperator).get(operator)?.[0]
}

/** Throws `BadGraphFile` before onnxruntime opens the file, and onnxruntime's own errors. */
export async function openGraph(runtime: Runtime, path: string, options: OpenOptions = {}): Promise<OpenedGraph> {
  const info = checkGraphFile(path)
  const { deterministic, durations, expose, repeatNoise } = planGraph(info, options)
  const convolutions = runtime.provider === 'cpu' ? (options.convolutions ?? 'as_exported') : 'as_exported'
  const rows = info.externalFiles.length === 0 ? findRowsIn(path, info, options.rows) : undefined
  const changed = expose.length > 0 || repeatNoise || convolutions !== 'as_exported' || rows !== undefined
  const session = await (changed
    ? openRewritten(runtime, path, info, { expose, repeatNoise, convolutions, rows })
    : runtime.openSession(path))
  return { session, metadata: info.metadata, deterministic, durations, rows: rows?.value }
}

function findRowsIn(path: string, info: GraphInfo, outputs: readonly string[] | undefined): Rows | undefined {
  if (outputs === undefined) return undefined
  using file = openFileBytes(path)
  return findRows(file, info, outputs)
}

/**
 * A graph of 105 MB needs 180 MB opened by path, and 260 MB opened rewritten, 100 MB of which are freed again:
 * onnxruntime copies the graph.
 */
async function openRewritten(runtime: Runtime, path: string, info: GraphInfo, changes: Changes): Promise<Session> {
  const bytes = rewrite(path, info, changes)
  try {
    return await runtime.openSession(bytes)
  } finally {
    // The addon holds a reference to the buffer, so it is detached.
    bytes.buffer.transfer(0)
  }
}

function rewrite(path: string, info: GraphInfo, changes: Changes): Uint8Array<ArrayBuffer> {
  using file = openFileBytes(path)
  return rewriteGraph(file, info, changes)
}
