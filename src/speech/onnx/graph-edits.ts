/** Collects changes of the nodes and parameters of a graph's main part. */
import { encodeBytes, encodeInitializer, encodeNode, type ByteInitializer, type Made, type NewNode } from './encode'
import type { MainGraph, Node } from './nodes'
import type { Bytes, Span } from './wire'

/** Replacements of the fields of the main graph that begin at these offsets, and further fields behind all. */
export type Edits = {
  readonly replacements: ReadonlyMap<number, readonly (Uint8Array | Made)[]>
  readonly additions: readonly (Uint8Array | Made)[]
}

/** The names of new values begin with it. */
export const prefix = 'sonant.conv'

/** Collects edits; removes the nodes and parameters that are of no more use. */
export class GraphEdits {
  private readonly replacements = new Map<number, Uint8Array[]>()
  private readonly additions: (Uint8Array | Made)[] = []
  private readonly constants = new Set<string>()
  private readonly newInputs = new Set<string>()

  constructor(
    private readonly graph: MainGraph,
    private readonly bytes: Bytes,
  ) {}

  replace(node: Node, nodes: readonly NewNode[]): void {
    this.replacements.set(node.start, nodes.map(encodeNode))
    for (const { inputs } of nodes) inputs.forEach((input) => this.newInputs.add(input))
  }

  remove(node: Node): void {
    this.replacements.set(node.start, [])
  }

  /** Adds a parameter of integers and returns its name. */
  integers(...values: number[]): string {
    const name = `${prefix}.integers.${values.join('.')}`
    const constant = { type: 'int64', dims: [values.length], values: BigInt64Array.from(values, BigInt) } as const
    if (!this.constants.has(name)) this.additions.push(encodeInitializer(name, constant))
    this.constants.add(name)
    return name
  }

  add(initializer: ByteInitializer): string {
    this.additions.push(...encodeBytes(initializer))
    return initializer.name
  }

  /** Returns a copy of the values at `span`. */
  read({ start, end }: Span): Uint8Array {
    const values = new Uint8Array(end - start)
    this.bytes.read(start, values)
    return values
  }

  finish(): Edits {
    const { nodes, initializers, ends } = this.graph
    const isKept = ({ start }: Node) => this.replacements.get(start)?.length !== 0
    // Each round removes the nodes whose outputs no other node needs.
    for (let removed = true; removed;) {
      removed = false
      const used = new Set([...ends, ...this.newInputs])
      for (const node of nodes) if (!this.replacements.has(node.start)) node.inputs.forEach((input) => used.add(input))
      for (const node of nodes)
        if (!this.replacements.has(node.start) && !node.outputs.some((output) => used.has(output))) {
          this.remove(node)
          removed = true
        }
    }
    const used = new Set([...ends, ...this.newInputs])
    for (const node of nodes)
      if (isKept(node) && !this.replacements.has(node.start)) node.inputs.forEach((input) => used.add(input))
    for (const { name, start } of initializers.values()) if (!used.has(name)) this.replacements.set(start, [])
    return { replacements: this.replacements, additions: this.additions }
  }
}
