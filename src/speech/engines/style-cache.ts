/** Caches the used styles of a pack: half a megabyte each, and some packs have a hundred. */
import type { ModelFiles } from '../voice'
import { requireUnchanged } from '../models/snapshot'
import type { Style } from '../models/styles'

/** The returned function throws for an unknown style, or when the files of `model` have changed. */
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
