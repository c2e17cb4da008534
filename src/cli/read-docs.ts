/** A Bun macro, run while bundling: returns the documents in `docs/` and the README, by name. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dir, '../..')

export function readDocs(): Record<string, string> {
  const files = readdirSync(join(root, 'docs')).filter((file) => file.endsWith('.md'))
  const paths: [string, string][] = files.sort().map((file) => [file.slice(0, -'.md'.length), join('docs', file)])
  return Object.fromEntries(
    [['readme', 'README.md'], ...paths].map(([name, path]) => [name, readFileSync(join(root, path!), 'utf8')]),
  )
}
