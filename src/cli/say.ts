/** `sonant say`: text to a file, without a server. */
import { open, rename, unlink } from 'node:fs/promises'
import type { AudioFormat } from '../audio/encode/encoder'
import { limits, type RawSettings } from '../config'
import { startDeadline } from '../deadline'
import { render } from '../speech/render'
import { writeAt } from '../storage/files'
import type { Speech } from '../speech/speech'
import { readCatalogue, type Catalogue, type CatalogueVoice } from '../voice/catalogue'
import { say as command } from './commands/general'
import { exitCodes } from './failures'
import { readFlags, UsageError } from './flags'
import { createCliSpeech } from './pool'
import { openShelf } from './shelf'

export async function say(args: string[]): Promise<void> {
  const { values, positionals } = readFlags('say', command, args)
  const text = positionals[0]
  if (!text?.trim()) throw new UsageError('say needs a text: sonant say "Hello" -o hello.mp3')
  const format = chooseFormat(values.format, values.output)
  const output = values.output ?? `speech.${format}`
  const catalogue = readCatalogue()
  const { pool, probe } = await createCliSpeech(values)
  const voice = await chooseVoice(values, catalogue, probe).catch((error) => {
    pool.close()
    throw error
  })
  let interrupted = false
  process.on('SIGINT', () => {
    interrupted = true
    pool.close()
  })
  const temporary = `${output}.${process.pid}.part`
  const file = await open(temporary, 'wx')
  try {
    const { audioMs } = await render(
      pool,
      {
        text,
        voice,
        companionFor: (script) => catalogue.companionFor(voice, script),
        speed: parseSpeed(values.speed),
        format,
        mp3SampleRate: undefined,
        queueKey: 'say',
        // A long text takes as long as it takes: somebody is watching.
        deadline: startDeadline(3_600_000),
      },
      { write: (bytes, position) => writeAt(file, bytes, position) },
    )
    await file.sync()
    await rename(temporary, output)
    if (values.json) console.log(JSON.stringify({ file: output, voice_id: voice.id, format, audio_ms: audioMs }))
    else console.error(`${output}: ${(audioMs / 1000).toFixed(1)} s, voice ${voice.id}`)
  } catch (error) {
    await unlink(temporary)
    if (interrupted) process.exit(exitCodes.interrupted)
    throw error
  } finally {
    await file.close()
    pool.close()
  }
}

/** Packs that nobody has tried yet are tried when no known voice is meant. Throws `UsageError`. */
async function chooseVoice(
  flags: RawSettings & { voice?: string },
  catalogue: Catalogue,
  probe: Speech['probe'],
): Promise<CatalogueVoice> {
  const { voice: id } = flags
  if (id === undefined) return catalogue.voices[0]!
  const shelf = await openShelf(flags, catalogue, probe)
  if (!catalogue.find(id)) await shelf.tryAll()
  await shelf.close()
  const voice = catalogue.find(id)
  if (!voice) throw new UsageError(`--voice: there is no voice "${id}"; sonant voices lists those there are`)
  return voice
}

function chooseFormat(format: string | undefined, output: string | undefined): AudioFormat {
  const chosen = format ?? /\.(mp3|wav)$/i.exec(output ?? '')?.[1]?.toLowerCase() ?? 'mp3'
  if (chosen === 'mp3' || chosen === 'wav') return chosen
  throw new UsageError(`--format: found "${chosen}"; allowed is mp3 or wav`)
}

function parseSpeed(text: string | undefined): number {
  const speed = Number(text ?? 1)
  if (speed >= limits.speedMin && speed <= limits.speedMax) return speed
  throw new UsageError(`--speed: found "${text}"; allowed is a number from ${limits.speedMin} to ${limits.speedMax}`)
}
