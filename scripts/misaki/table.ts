/**
 * Makes the reference tables of misaki's readings of English, used by test/speech/misaki/. Run it when the texts or the
 * pinned package change; a changed table is a new proof:
 * PYTHONPATH=WHEEL:PACKAGES bun scripts/misaki/table.ts
 *
 * WHEEL is the folder of the unpacked wheel hibari-tts 0.2.1, PACKAGES one with its dependencies
 * (`pip install --target PACKAGES numpy onnxruntime`). Rows are [sentence, American, British]. A hash of the sentence
 * puts it into one of two halves. The reader was made with the open half; the first run over the sealed half is
 * reported in docs/models.md.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { makeSentences } from './texts'
import { replaceFile, root } from '../run'

const sentences = Object.values(await makeSentences()).flat()
const child = Bun.spawn(['python3', join(import.meta.dir, 'read.py')], {
  stdin: new Blob([sentences.map((sentence) => `${JSON.stringify(sentence)}\n`).join('')]),
  stdout: 'pipe',
  stderr: 'inherit',
})
const lines = (await new Response(child.stdout).text()).trimEnd().split('\n')
if ((await child.exited) !== 0 || lines.length !== sentences.length)
  throw new Error(`The package read ${lines.length} of ${sentences.length} sentences.`)

const rows = sentences.map((sentence, at) => [sentence, ...(JSON.parse(lines[at]!) as [string, string])])
for (const half of ['open', 'sealed']) {
  const own = rows.filter(([sentence]) => (isSealed(sentence!) ? 'sealed' : 'open') === half)
  const file = join(root, `test/speech/misaki/${half}.jsonl.zst`)
  const bytes = Bun.zstdCompressSync(own.map((row) => `${JSON.stringify(row)}\n`).join(''), { level: 19 })
  await replaceFile(file, bytes)
  console.log(file, own.length, 'sentences,', bytes.length, 'bytes')
}

function isSealed(sentence: string): boolean {
  return createHash('sha256').update(`misaki 20261122 ${sentence}`).digest()[0]! % 2 === 1
}
