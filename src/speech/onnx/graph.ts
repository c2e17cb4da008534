/** Opening a graph as the engines want it. */
import type { Runtime, Session } from './runtime'

export type OpenedGraph = {
  readonly session: Session
  /** Of the file, as its exporter wrote it. */
  readonly metadata: Readonly<Record<string, string>>
  /** Whether the same feeds give the same outputs. */
  readonly deterministic: boolean
}

/** `expose`: chooses inner values that become outputs too, given the operators of the graph. */
export async function openGraph(runtime: Runtime, path: string): Promise<OpenedGraph> {
  return { session: await runtime.openSession(path), metadata: {}, deterministic: true }
}
