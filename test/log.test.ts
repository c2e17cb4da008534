/** The logger writes each event as one JSON line, whatever characters it contains. */
import { expect, it } from 'bun:test'
import { join } from 'node:path'

/** Returns the stderr of a child process; the logger bypasses the streams that a test could intercept. */
function logged(fields: unknown): string {
  const script = `require(process.argv[1]).createLogger('info').info(JSON.parse(process.argv[2]), 'said')`
  const args = [process.execPath, '-e', script, join(import.meta.dir, '../src/log.ts'), JSON.stringify(fields)]
  return Bun.spawnSync(args).stderr.toString()
}

it.each([
  ['line breaks', 'a\nb\r\n{"level":"fatal"}'],
  ['sequences that terminals obey', 'a\u001b[31mb\u009b31mc\u007f'],
  ['separators and turns of direction', 'a\u2028b\u2029c\u202ed\u2066e'],
])('keeps %s out of the line, and their meaning in it', (_, text) => {
  const line = logged({ text })
  expect(line).toMatch(/^[^\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]*\n$/)
  expect(JSON.parse(line)).toMatchObject({ level: 'info', text, msg: 'said' })
})
