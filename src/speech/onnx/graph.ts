/** Opening a graph as the engines want it: judged before, its noise repeatable, its durations in the open. */
import { checkGraphFile } from './check'
import type { GraphInfo } from './file'
import { isRepeatable } from './noise'
import { rewriteGraph, type Changes } from './rewrite'
import type { Runtime, Session } from './runtime'
import { openFileBytes } from './wire'

export type OpenedGraph = {
  readonly session: Session
  /** Of the file, as its exporter wrote it. */
  readonly metadata: Readonly<Record<string, string>>
  /** Whether the same feeds give the same outputs. */
  readonly deterministic: boolean
  /** The output with the frames of each input id; undefined where there is none or nobody asked for it. */
  readonly durations: string | undefined
}

export type OpenOptions = {
  /**
   * Makes an output of the frames per id that a graph of Piper works with: what comes out of its only Ceil node, as
   * Piper's own `patch_voice_with_alignment.py` does. A second output is taken to be that already.
   */
  readonly exposeDurations?: boolean
}

/** What opening the graph of `info` with `options` will give, which is told without opening it. */
export function planGraph(
  info: GraphInfo,
  { exposeDurations = false }: OpenOptions = {},
): { deterministic: boolean; durations: string | undefined; expose: readonly string[]; repeatNoise: boolean } {
  // onnxruntime finds further files only when it opens the graph by its path, as it is.
  const changeable = info.externalFiles.length === 0
  const repeatNoise = info.noise.length > 0 && changeable && isRepeatable(info)
  const ceiled = info.operators.get('Ceil') === 1 ? info.outputsByOperator.get('Ceil')?.[0] : undefined
  const hidden = exposeDurations && changeable && info.outputs.length === 1 ? ceiled : undefined
  return {
    deterministic: info.noise.length === 0 || repeatNoise,
    durations: exposeDurations ? (info.outputs[1]?.name ?? hidden) : undefined,
    expose: hidden === undefined ? [] : [hidden],
    repeatNoise,
  }
}

/** Throws `BadGraphFile` before onnxruntime has seen the file, and what onnxruntime says of it. */
export async function openGraph(runtime: Runtime, path: string, options: OpenOptions = {}): Promise<OpenedGraph> {
  const info = checkGraphFile(path)
  const { deterministic, durations, expose, repeatNoise } = planGraph(info, options)
  const changed = expose.length > 0 || repeatNoise
  const session = await (changed
    ? openRewritten(runtime, path, info, { expose, repeatNoise })
    : runtime.openSession(path))
  return { session, metadata: info.metadata, deterministic, durations }
}

/**
 * A graph of 105 MB needs 180 MB to open by its path, and 260 MB to open rewritten, of which 100 MB are given back: the
 * runtime copies what it keeps.
 */
async function openRewritten(runtime: Runtime, path: string, info: GraphInfo, changes: Changes): Promise<Session> {
  const bytes = rewrite(path, info, changes)
  try {
    return await runtime.openSession(bytes)
  } finally {
    // The addon holds on to the buffer for as long as there is one.
    bytes.buffer.transfer(0)
  }
}

function rewrite(path: string, info: GraphInfo, changes: Changes): Uint8Array<ArrayBuffer> {
  using file = openFileBytes(path)
  return rewriteGraph(file, info, changes)
}
