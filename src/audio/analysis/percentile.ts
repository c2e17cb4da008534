/** The percentile of all analyses. */

/** The value below which `share` (0…1) of `values` lie; 0 without values. */
export function percentile(values: ArrayLike<number>, share: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted.length === 0 ? 0 : sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!
}
