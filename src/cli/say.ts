/** `sonant say`: speaks a text to a file, a pipe or the loudspeaker, without a server. */
import { limits } from '../config'
import { startDeadline } from '../deadline'
import { AppError } from '../errors'
import { render } from '../speak/render'
import { writeAt } from '../storage/files'
import { say as command } from './commands/general'
import { exitOnSignals } from './failures'
import { readDirectoryCatalogue } from './directory-catalogue'
import { readFlags, UsageError } from './flags'
import { chooseFormat, chooseTarget, deliver, openDraft, outputOf, type Draft, type Target } from './output'
import { findPlayers, play } from './player'
import { createCliSpeech } from './scheduler'
import { createProgress, formatClock } from './progress'
import { readText } from './say-text'
import { chooseVoice } from './say-voice'

/** A shorter text needs no progress bar. */
const progressCharactersMin = 2000

export async function say(args: string[]): Promise<void> {
  const { values, positionals } = readFlags('say', command, args)
  const { output, json = false, force = false } = values
  const isOnlyPlayed = values.play === true && output === undefined
  const format = chooseFormat(values.format ?? (isOnlyPlayed ? 'wav' : undefined), output)
  const speed = parseSpeed(values.speed)
  const target: Target = isOnlyPlayed
    ? { name: 'the audio', kind: 'none' }
    : await chooseTarget(output ?? `speech.${format}`, { force })
  if (json && target.kind === 'stream' && target.path === undefined)
    throw new UsageError('--json and -o - both want standard output; name a file')
  const players = values.play ? findPlayers(format) : []
  const text = await readText({ words: positionals, file: values.file, isTerminal: process.stdin.isTTY })
  const catalogue = await readDirectoryCatalogue(values)
  const speech = await createCliSpeech(values)
  const { scheduler } = speech
  const leaving: (() => void)[] = [() => scheduler.close()]
  const leaveAll = () => leaving.splice(0).forEach((leave) => leave())
  process.once('exit', leaveAll)
  exitOnSignals()
  const progress = createProgress(process.stderr)
  const isWatched = process.stderr.isTTY && !json && text.length >= progressCharactersMin
  let draft: Draft | undefined
  try {
    const voice = await chooseVoice(values, catalogue, speech)
    const { file, path } = (draft = await openDraft(target, (remove) => leaving.push(remove)))
    const { audioMs } = await render(
      scheduler,
      {
        text,
        voice,
        fallbackVoiceFor: (script) => catalogue.fallbackVoiceFor(voice, script),
        speed,
        format,
        mp3SampleRate: undefined,
        queueKey: 'say',
        deadline: startDeadline(limits.sayTimeoutMs),
        ...(isWatched && {
          onProgress: ({ share, audioMs: ms }) => progress.update(share, `${formatClock(ms)} of audio`),
        }),
      },
      {
        async write(bytes, position) {
          if (position + bytes.length > limits.sayAudioBytesMax) throw tooLong(format)
          await outputOf(target.name, () => writeAt(file, bytes, position))
        },
      },
    )
    progress.end()
    await deliver(target, draft)
    const { name } = target
    if (json)
      console.log(
        JSON.stringify({ file: target.kind === 'none' ? null : name, voice_id: voice.id, format, audio_ms: audioMs }),
      )
    else console.error(`${name}: ${(audioMs / 1000).toFixed(1)} s, voice ${voice.id}`)
    if (values.play) await play(target.kind === 'file' ? target.path! : path, players, (stop) => leaving.push(stop))
  } finally {
    progress.end()
    await draft?.file.close()
    leaveAll()
  }
}

function tooLong(format: string): AppError {
  const hint = format === 'wav' ? 'take mp3, or split the text' : 'split the text'
  return new AppError('transcode_failed', `the audio is longer than a ${format} file can be (4 GiB); ${hint}`)
}

function parseSpeed(text: string | undefined): number {
  const speed = text?.trim() === '' ? NaN : Number(text ?? 1)
  if (speed >= limits.speedMin && speed <= limits.speedMax) return speed
  throw new UsageError(`--speed: found "${text}"; allowed is a number from ${limits.speedMin} to ${limits.speedMax}`)
}
