/** Recordings that were cut, flipped and joined: each upload is a clone or one of the documented refusals. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '../run'
import { faultOf, startTrialServer } from './server'
import { createRandom, type Random } from '../random'
import { createFindings, type TrialOptions, type TrialResult } from './trial'

const fixtures = join(root, 'test/fixtures/audio')
const text = 'The old house on the hill was sold last month, and we are going home.'
const refusals = new Set(['unsupported_audio', 'audio_parse_failed', 'duration_exceeded', 'file_too_large'])

function damaged(file: Uint8Array, others: readonly Uint8Array[], random: Random): Uint8Array {
  const copy = Uint8Array.from(file)
  const at = random.below(copy.length)
  switch (random.below(7)) {
    case 0:
      return copy.slice(0, at)
    case 1:
      return copy.slice(at)
    case 2:
      for (let flips = 1 + random.below(200); flips > 0; flips--)
        copy[random.below(copy.length)]! ^= 1 << random.below(8)
      return copy
    case 3:
      for (let flips = 1 + random.below(8); flips > 0; flips--)
        copy[random.below(Math.min(128, copy.length))] = random.below(256)
      return copy
    case 4:
      copy.set(random.bytes(Math.min(copy.length - at, 1 + random.below(2_000))), at)
      return copy
    case 5:
      return Buffer.concat([copy.subarray(0, at), random.pick(others)])
    default:
      return Buffer.concat([copy, random.bytes(random.below(5_000))])
  }
}

export async function tryRecordings({ size, seed }: TrialOptions): Promise<TrialResult> {
  const findings = createFindings()
  const random = createRandom(seed)
  const names = (await readdir(fixtures)).filter((name) => !name.endsWith('.md')).sort()
  const files: Uint8Array[] = await Promise.all(names.map((name) => Bun.file(join(fixtures, name)).bytes()))
  // The short trial ends before a second worker would be worth its start.
  const workers = size === 'full' ? [] : ['--workers', '1']
  const server = await startTrialServer({ flags: ['--clones-max', '10000', ...workers] })
  try {
    // The fixtures are shorter than a clone needs; these are long enough, so that some uploads become voices.
    for (const format of ['wav', 'mp3', 'wav', 'mp3']) {
      const { body } = await server.ask('/api/v1/tts', { body: { text, format, voice_id: 'en-walter' } })
      files.push(await (await fetch(body.url)).bytes())
      names.push(`speech.${format}`)
    }
    let clones = 0
    const count = size === 'full' ? 2_400 : 120
    const lanes = Array.from({ length: 3 }, async () => {
      while (findings.result().tried < count) {
        findings.try()
        const index = random.below(files.length)
        const body = new FormData()
        body.append('name', 'Damaged')
        body.append('file', new Blob([damaged(files[index]!, files, random) as BlobPart]), 'voice')
        const answer = await server.ask('/api/v1/voices/clone', { body })
        if (answer.status === 200) clones++
        const code = answer.body?.error?.code
        const fault = faultOf(answer) ?? (answer.status === 200 || refusals.has(code) ? undefined : `answers ${code}`)
        if (fault) findings.add(`${names[index]}: ${fault}`)
      }
    })
    await Promise.all(lanes)
    if (clones === 0) findings.add('no upload became a voice: the trial proves little')
    await server.inspect(findings)
    const parts = await readdir(join(await server.dataDirectory(), 'references'))
    for (const name of parts) if (name.endsWith('.part')) findings.add(`left behind: ${name}`)
  } finally {
    await server.stop()
  }
  return findings.result()
}
