/** The results of benches and the table that prints them. */

export type BenchRow = {
  name: string
  /** Measured value in `unit`. null: not measured; `name` gives the reason. */
  value: number | null
  unit: string
  /** Value of the reference, in `unit`. */
  reference: number | null
  /** `value` against `reference`: higher is better with `goal`, lower is better with `most`. */
  ratio: number | null
  /** The lowest `ratio` that meets the goal. null: no goal. */
  goal: number | null
  /** Instead of `goal`: the highest `ratio` allowed or, without a reference, the highest `value`. */
  most?: number
}

export function printTable(rows: BenchRow[]): void {
  const cells = rows.map((row) => [
    row.name,
    row.value === null ? '–' : `${format(row.value)} ${row.unit}`,
    row.reference === null ? '–' : `${format(row.reference)} ${row.unit}`,
    row.ratio === null ? '–' : row.ratio.toFixed(2),
    ...judge(row),
  ])
  const table = [['bench', 'ours', 'reference', 'ratio', 'goal', ''], ...cells]
  const widths = table[0]!.map((_, column) => Math.max(...table.map((line) => line[column]!.length)))
  for (const line of table) {
    console.log(line.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  '))
  }
}

/** Returns the goal and whether it was reached. */
function judge({ value, unit, reference, ratio, goal, most }: BenchRow): [string, string] {
  const word = (reached: boolean) => (reached ? 'ok' : 'MISSED')
  if (most !== undefined && reference === null)
    return [`≤ ${format(most)} ${unit}`, value === null ? '' : word(value <= most)]
  if (most !== undefined) return [`≤ ${most.toFixed(2)}`, ratio === null ? '' : word(ratio <= most)]
  if (goal !== null) return [`≥ ${goal.toFixed(2)}`, ratio === null ? '' : word(ratio >= goal)]
  return ['–', '']
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]!
}

function format(value: number): string {
  return value.toPrecision(Math.max(3, Math.ceil(Math.log10(Math.abs(value) + 1))))
}
