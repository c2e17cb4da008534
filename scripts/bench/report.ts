/** What a bench finds, and how it is printed. */

export type BenchRow = {
  name: string
  /** In `unit`; null when it could not be measured, and `name` says why. */
  value: number | null
  unit: string
  /** The same of what is compared with, in `unit`. */
  reference: number | null
  /** `value` against `reference`: with `goal` such that more is better, with `most` such that less is. */
  ratio: number | null
  /** The least `ratio` that is good enough; null where nothing is asked. */
  goal: number | null
  /** In place of `goal`: the most `ratio` that is good enough or, where there is no reference, the most `value`. */
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

/** The goal, and whether it was reached. */
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
