/** Rows of spectra from graphs that give columns. */
import { bins, rowLength } from './format'

/** Parts of `bins` rows with one number per frame, in the order of `rowParts` → a row of `rowLength` numbers per frame. */
export function joinRows(parts: readonly Float32Array[], frames: number): Float32Array {
  const rows = new Float32Array(frames * rowLength)
  for (const [index, part] of parts.entries())
    for (let bin = 0; bin < bins; bin++)
      for (let frame = 0; frame < frames; frame++)
        rows[frame * rowLength + index * bins + bin] = part[bin * frames + frame]!
  return rows
}
