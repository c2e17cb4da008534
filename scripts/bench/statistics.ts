/** Order statistics beyond the median. */

/** Returns the value below which `share` (0 to 1) of the values lie, by the nearest rank. */
export function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!
}
