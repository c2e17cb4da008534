/** What the entry scripts share. */
import { afterAll, beforeAll, expect, it } from 'bun:test'
import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { replaceFile } from '../../scripts/run'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sonant-run-'))
})
afterAll(() => rm(directory, { recursive: true }))

it('a file that is replaced is whole at any moment, and nothing is left beside it', async () => {
  const path = join(directory, 'table.json')
  const table = Array.from({ length: 20_000 }, (_, i) => ({ i, text: 'x'.repeat(20) }))
  const text = JSON.stringify(table)
  await replaceFile(path, text)
  let isWriting = true
  const writing = (async () => {
    for (let times = 0; times < 20; times++) await replaceFile(path, text)
  })().finally(() => (isWriting = false))
  while (isWriting) {
    expect(JSON.parse(readFileSync(path, 'utf8'))).toHaveLength(table.length)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await writing
  expect(await readdir(directory)).toEqual(['table.json'])
})
