/** Styles of a pack as they are asked for: half a megabyte each, and some packs have a hundred. */
import type { ModelFiles } from '../engine'
import { requireUnchanged } from '../models/snapshot'
import type { Style } from '../models/styles'

/** The returned function throws when there is no style of that name, or when the files of `model` have changed. */
export function createStyleCache(model: ModelFiles, styles: readonly Style[]): (name: string) => Promise<Float32Array> {
  const byName = new Map(styles.map((style) => [style.name, style]))
  const read = new Map<string, Float32Array>()
  return async (name) => {
    const known = read.get(name)
    if (known) return known
    const style = byName.get(name)
    if (!style) throw new Error(`the model has no style ${name}`)
    const rows = await style.read()
    await requireUnchanged(model)
    read.set(name, rows)
    return rows
  }
}
