/**
 * Makes the reference table of sherpa-onnx' ids for Piper voices, used by test/speech/sherpa/piper.test.ts. Run it when
 * the texts or sherpa-onnx change:
 * bun scripts/sherpa/piper-table.ts
 */
import { dirname, join } from 'node:path'
import { mapFile, withSherpa } from './run-piper'
import { makeTexts, textVoices } from './texts'
import { replaceFile } from '../run'

await withSherpa(async (read) => {
  for (const voice of textVoices) {
    const texts = makeTexts(voice, voice === 'en-us' || voice === 'cmn' ? 1_500 : 250)
    const runs = await read(voice, texts)
    const rows = texts.map((text, index) => `${JSON.stringify([text, runs[index]])}\n`)
    const file = join(dirname(mapFile), `piper-${voice}.jsonl.zst`)
    const bytes = Bun.zstdCompressSync(rows.join(''), { level: 19 })
    await replaceFile(file, bytes)
    console.log(file, bytes.length, 'bytes')
  }
})
