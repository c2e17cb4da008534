/** Reads the nodes and parameters of a graph's main part, for rewriting it. */
import type { TensorType } from './runtime'
import { typeName } from './tensor'
import { walk, type Bytes, type Field, type Span } from './wire'

export type Node = {
  /** Operators of other domains have a prefix: `com.microsoft.Gelu`. */
  readonly operator: string
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
  /** Offset in the file. */
  readonly start: number
  /** Attributes that are integers, or lists of integers. */
  readonly integers: Readonly<Record<string, number | readonly number[]>>
  readonly texts: Readonly<Record<string, string>>
}

export type Initializer = {
  readonly name: string
  readonly type: TensorType
  readonly dims: readonly number[]
  /** Offset in the file. */
  readonly start: number
  /** Where its values are; undefined for values in another form. */
  readonly values: Span | undefined
  /** The value of a single integer of at most 8 bits. */
  readonly integer: number | undefined
}

export type MainGraph = {
  readonly nodes: readonly Node[]
  readonly initializers: ReadonlyMap<string, Initializer>
  /** Names of the graph's inputs and outputs. */
  readonly ends: ReadonlySet<string>
  /** Whether bodies of loops and branches may use values of the main graph. */
  readonly hasBodies: boolean
}

/** The file must have passed `readGraphFile`, which limits its size and depth. */
export function readMainGraph(bytes: Bytes): MainGraph {
  const nodes: Node[] = []
  const initializers = new Map<string, Initializer>()
  const ends = new Set<string>()
  let hasBodies = false
  walk(bytes, (model) => {
    if (model.number !== 7) return
    model.message((field) => {
      if (field.number === 1) nodes.push(readNode(field, () => (hasBodies = true)))
      else if (field.number === 5) {
        const initializer = readInitializer(field, bytes)
        initializers.set(initializer.name, initializer)
      } else if (field.number === 11 || field.number === 12)
        field.message((value) => {
          if (value.number === 1) ends.add(value.text())
        })
    })
  })
  return { nodes, initializers, ends, hasBodies }
}

function readNode(field: Field, onBody: () => void): Node {
  const { start } = field
  const inputs: string[] = []
  const outputs: string[] = []
  const integers: Record<string, number | number[]> = {}
  const texts: Record<string, string> = {}
  let [operator, domain] = ['', '']
  field.message((inner) => {
    if (inner.number === 1) inputs.push(inner.text())
    else if (inner.number === 2) outputs.push(inner.text())
    else if (inner.number === 4) operator = inner.text()
    else if (inner.number === 7) domain = inner.text()
    else if (inner.number === 5) readAttribute(inner, integers, texts, onBody)
  })
  const name = domain === '' || domain === 'ai.onnx' ? operator : `${domain}.${operator}`
  return { operator: name, inputs, outputs, start, integers, texts }
}

function readAttribute(
  field: Field,
  integers: Record<string, number | number[]>,
  texts: Record<string, string>,
  onBody: () => void,
): void {
  let name = ''
  let integer: number | undefined
  let text: string | undefined
  const list: number[] = []
  field.message((inner) => {
    if (inner.number === 1) name = inner.text()
    else if (inner.number === 3) integer = inner.integer()
    else if (inner.number === 4) text = inner.text()
    else if (inner.number === 8) list.push(...inner.integers())
    else if (inner.number === 6 || inner.number === 11) onBody()
  })
  if (list.length > 0) integers[name] = list
  else if (integer !== undefined) integers[name] = integer
  if (text !== undefined) texts[name] = text
}

function readInitializer(field: Field, bytes: Bytes): Initializer {
  const { start } = field
  const dims: number[] = []
  let name = ''
  let type: TensorType = 'other'
  let values: Span | undefined
  let integer: number | undefined
  field.message((inner) => {
    if (inner.number === 1) dims.push(...inner.integers())
    else if (inner.number === 2) type = typeName(inner.integer())
    else if (inner.number === 5 && dims.every((size) => size === 1)) integer = inner.integers()[0]
    else if (inner.number === 8) name = inner.text()
    else if (inner.number === 9) values = inner.span()
  })
  return { name, type, dims, start, values, integer: integer ?? readByte(bytes, values) }
}

/** The only byte of `span`; undefined for any other length. */
function readByte(bytes: Bytes, span: Span | undefined): number | undefined {
  if (span?.end !== (span?.start ?? 0) + 1) return undefined
  const byte = new Uint8Array(1)
  bytes.read(span.start, byte)
  return byte[0]
}
