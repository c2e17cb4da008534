/** Opens a graph for the engines: checked, with repeatable noise and exposed durations. */
import { checkGraphFile } from './check'
import type { GraphInfo } from './file'
import { isRepeatable } from './noise'
import { rewriteGraph, type Changes } from './rewrite'
import type { Runtime, Session } from './runtime'
import { openFileBytes } from './wire'

export type OpenedGraph = {
  readonly session: Session
  /** Metadata of the file, as exported. */
  readonly metadata: Readonly<Record<string, string>>
  /** Whether the same feeds give the same outputs. */
  readonly deterministic: boolean
  /** The output with the frames of each input id; undefined when missing or not requested. */
  readonly durations: string | undefined
}

export type OpenOptions = {
  /**
   * Exposes the frames per id inside Piper's graphs: the output of their only Ceil node, as in Piper's own
   * `patch_voice_with_alignment.py`. A second output counts as the durations.
   */
  readonly exposeDurations?: boolean
}

/** The result of opening the graph of `info` with `options`, computed without opening it. */
export function planGraph(
  info: GraphInfo,
  { exposeDurations = false }: OpenOptions = {},
): { deterministic: boolean; durations: string | undefined; expose: readonly string[]; repeatNoise: boolean } {
  // onnxruntime finds external files only for an unchanged graph opened by path.
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

/** Throws `BadGraphFile` before onnxruntime opens the file, and onnxruntime's own errors. */
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
