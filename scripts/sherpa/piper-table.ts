/**
 * Makes the table of what sherpa-onnx feeds to Piper voices, which test/speech/sherpa/piper.test.ts compares with what we
 * do. Needed again only when the texts change or sherpa-onnx does:
 *
 *   bun scripts/sherpa/piper-table.ts
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unpackEspeakData } from './espeak-data'
import { makeTexts } from './texts'

const tables = join(import.meta.dir, '../../test/speech/sherpa')
const counts = { 'en-us': 1_500, cmn: 1_500, de: 250, fr: 250, ru: 250, hi: 250, ar: 250 }

const directory = await mkdtemp(join(tmpdir(), 'sonant-espeak-'))
try {
  await unpackEspeakData(directory)
  for (const [voice, count] of Object.entries(counts)) {
    const texts = makeTexts(voice, count)
    const process = Bun.spawn(
      ['bun', join(import.meta.dir, 'piper-ids.ts'), voice, join(tables, 'map.json'), directory],
      {
        stdin: new Blob([texts.map((text) => `${JSON.stringify(text)}\n`).join('')]),
        stderr: 'inherit',
      },
    )
    const lines = (await new Response(process.stdout).text()).trimEnd().split('\n')
    if ((await process.exited) !== 0 || lines.length !== texts.length)
      throw new Error(`sherpa-onnx ended early: ${voice}`)
    const rows = texts.map((text, index) => `${JSON.stringify([text, JSON.parse(lines[index]!)])}\n`)
    const file = join(tables, `piper-${voice}.jsonl.zst`)
    console.log(file, await Bun.write(file, Bun.zstdCompressSync(rows.join(''), { level: 19 })), 'bytes')
  }
} finally {
  await rm(directory, { recursive: true })
}
