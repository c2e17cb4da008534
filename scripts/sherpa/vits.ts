/**
 * Makes test/speech/sherpa/vits.json.zst: sherpa-onnx' ids for VITS models of each kind, for 1000 Mandarin texts and
 * some hundred others. Run it after an update of sherpa-onnx-node.
 * bun scripts/sherpa/vits.ts
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { vitsModel } from '../../test/onnx/vits'
import { characterTexts, createPacks, englishTexts, mandarinTexts, type PackFiles } from './vits-texts'
import { replaceFile } from '../run'

const known = (await Bun.file(join(import.meta.dir, '../../test/speech/phonemes/mandarin-readings.txt')).text()).trim()
const sentences = known.split('\n').map((line) => line.split('\t')[0]!)
const mandarin = [...sentences, ...mandarinTexts(1_000 - sentences.length)]
const characters = characterTexts(300)
const english = englishTexts(150)
/** Packs that skip the Mandarin texts. */
const textsOf: Record<string, readonly string[]> = {
  mms: characters,
  coqui: characters,
  english,
}

async function askSherpa(
  name: string,
  { metadata, tokens, lexicon }: PackFiles,
  texts: readonly string[],
): Promise<unknown[]> {
  const directory = await mkdtemp(join(tmpdir(), 'sonant-sherpa-'))
  try {
    const layout = name === 'melo' ? 'toned' : name === 'coqui' ? 'coqui' : 'plain'
    await Bun.write(join(directory, 'model.onnx'), vitsModel({ layout, metadata }))
    await Bun.write(join(directory, 'tokens.txt'), tokens)
    if (lexicon !== undefined) await Bun.write(join(directory, 'lexicon.txt'), lexicon)
    const command = [
      process.execPath,
      join(import.meta.dir, 'vits-ids.ts'),
      directory,
      ...(name === 'melo' ? ['toned'] : []),
    ]
    const child = Bun.spawn(command, { stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' })
    child.stdin.write(texts.map((text) => JSON.stringify(text)).join('\n'))
    child.stdin.end()
    const [output, log, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ])
    const runs = output
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as unknown)
    if (code !== 0 || runs.length !== texts.length)
      throw new Error(`sherpa-onnx ended with ${code} after ${runs.length} texts of ${name}: ${log.slice(-500)}`)
    return runs
  } finally {
    await rm(directory, { recursive: true })
  }
}

const packs: Record<string, PackFiles & { texts: readonly string[]; runs: unknown[] }> = {}
for (const [name, files] of Object.entries(createPacks(mandarin, characters))) {
  const texts = textsOf[name] ?? mandarin
  packs[name] = { ...files, texts, runs: await askSherpa(name, files, texts) }
  console.log(`${name}: ${texts.length} texts`)
}
const bytes = await Bun.zstdCompress(JSON.stringify(packs), { level: 19 })
await replaceFile(join(import.meta.dir, '../../test/speech/sherpa/vits.json.zst'), bytes)
console.log(`${bytes.length} bytes`)
