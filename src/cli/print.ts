/** Prints the answers of verbs on stdout: as tables, as `name: value` lines, or as JSON. */

type Row = Readonly<Record<string, unknown>>

/** The exit code for a closed pipe: 128 + 13 (SIGPIPE). */
const exitReaderGone = 141

/** Writes the pieces in order, at the speed of the reader. Ends the process when the reader closes the pipe. */
export async function write(pieces: Iterable<string>): Promise<void> {
  await writeBytes(pieces)
}

export async function writeBytes(
  pieces: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
): Promise<void> {
  const output = Bun.stdout.writer()
  try {
    for await (const piece of pieces) {
      // Either promise may reject.
      await output.write(piece)
      await output.flush()
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') process.exit(exitReaderGone)
    throw error
  }
}

/** With `columns`, the list of the answer as a table; without them the answer as lines. */
export function format(answer: unknown, columns: readonly string[]): string {
  if (columns.length === 0) return lines(answer as Row)
  return table(Object.values(answer as Row).find(Array.isArray) as readonly Row[], columns)
}

function table(rows: readonly Row[], columns: readonly string[]): string {
  const cells = [columns, ...rows.map((row) => columns.map((column) => cell(row[column])))]
  const widths = columns.map((_, i) => Math.max(...cells.map((row) => Bun.stringWidth(row[i]!))))
  return cells
    .map(
      (row) =>
        `${row
          .map((text, i) => pad(text, widths[i]!))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}

function lines(row: Row): string {
  const width = Math.max(...Object.keys(row).map((name) => name.length)) + 1
  return Object.entries(row)
    .map(([name, value]) => `${pad(`${name}:`, width)} ${cell(value)}\n`)
    .join('')
}

/** `padEnd` in terminal columns: a Chinese character takes two. */
function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - Bun.stringWidth(text)))
}

/** Removes control characters: names and reasons may come from third-party files. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '')
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.join(',')
  if (typeof value !== 'object') return printable(String(value))
  const known = Object.entries(value).filter(([, one]) => one !== null)
  return known.length === 0 ? '-' : known.map(([name, one]) => `${name} ${cell(one)}`).join(', ')
}
