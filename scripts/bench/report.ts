/** What a bench finds, and how it is printed. */

export type BenchRow = {
  name: string
  /** In `unit`; null when it could not be measured, and `name` says why. */
  value: number | null
  unit: string
  /** The same of what is compared with, in `unit`. */
  reference: number | null
  /** `value` against `reference` such that more is better. */
  ratio: number | null
  /** The least `ratio` that is good enough; null where nothing is asked. */
  goal: number | null
}

export function printTable(rows: BenchRow[]): void {
  const cells = rows.map((row) => [
    row.name,
    row.value === null ? '–' : `${format(row.value)} ${row.unit}`,
    row.reference === null ? '–' : `${format(row.reference)} ${row.unit}`,
    row.ratio === null ? '–' : row.ratio.toFixed(2),
    row.goal === null ? '–' : `≥ ${row.goal.toFixed(2)}`,
    row.ratio === null || row.goal === null ? '' : row.ratio >= row.goal ? 'met' : 'MISSED',
  ])
  const table = [['bench', 'ours', 'reference', 'ratio', 'goal', ''], ...cells]
  const widths = table[0]!.map((_, column) => Math.max(...table.map((line) => line[column]!.length)))
  for (const line of table) {
    console.log(line.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  '))
  }
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]!
}

function format(value: number): string {
  return value.toPrecision(Math.max(3, Math.ceil(Math.log10(Math.abs(value) + 1))))
}
