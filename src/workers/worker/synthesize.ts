/** The tasks of a worker that make speech: an utterance or a batch of them, at their level, speed and sample rate. */
import { findAbsence, findFault } from '../../audio/check'
import { createMp3Encoder, mp3BitrateKbps } from '../../audio/encode/mp3'
import { normalizeLoudness } from '../../audio/loudness'
import { toInt16, type Pcm } from '../../audio/pcm'
import { resample } from '../../audio/resample'
import { stretch } from '../../audio/stretch'
import { trimSilence } from '../../audio/trim'
import { NoSpeech, NothingToSay, type Speech, type TimedWord } from '../../speech/engine'
import type { VoiceSpec } from '../../speech/voice'
import { faultMessage, type SynthesizeTask, type Task } from '../protocol'
import { unconverted, type Engines } from './engines'
import { inStage, type Performed } from './performed'

/** Longer than the deadline of a request with the fault `hang`. */
const hangMs = 1_000
const warmText = 'Ready.'

export function performSynthesis(engines: Engines, task: SynthesizeTask): Promise<Performed<'synthesize'>> {
  return render(engines, task, () => engines.synthesize(task.voice, task.text, task.speed))
}

/**
 * Returns the work of each utterance of a batch. When the run of the batch fails, each utterance is synthesized by
 * itself, so that only the faulty ones fail.
 */
export async function performBatch(
  engines: Engines,
  { tasks }: Task<'batch'>,
): Promise<(() => Promise<Performed<'synthesize'>>)[]> {
  const { voice, speed } = tasks[0]!
  const texts = tasks.map(({ text }) => text)
  const speeches = await engines.synthesizeBatch(voice, texts, speed).catch(() => undefined)
  return tasks.map((task, item) => {
    const speech = speeches?.[item]
    return speech ? () => render(engines, task, async () => speech) : () => performSynthesis(engines, task)
  })
}

/** Synthesizes and encodes a word, so that the first request finds all code loaded. */
export async function warm(engines: Engines, voice: VoiceSpec): Promise<void> {
  const pcm = await engines.synthesize(voice, warmText, 1)
  const encoder = await createMp3Encoder({ sampleRate: pcm.sampleRate, bitrateKbps: mp3BitrateKbps(pcm.sampleRate) })
  encoder.append(toInt16(normalizeLoudness(trimSilence(pcm)).samples))
  encoder.finish()
}

/** `synthesize`: the engine's speech of the task. */
async function render(
  engines: Engines,
  task: SynthesizeTask,
  synthesize: () => Promise<Speech>,
): Promise<Performed<'synthesize'>> {
  const pauseFrames = Math.round((task.pauseMs / 1000 / task.speed) * task.sampleRate)
  if (task.text === '') return { answer: { words: undefined }, samples: new Int16Array(pauseFrames) }
  const spoken = await inStage('synthesize', () => speak(engines, task, synthesize))
  const remaining = task.speed / (spoken.speed ?? 1)
  const timed = await inStage('stretch', () => {
    if (remaining === 1) return spoken
    if (task.fault === 'stretch') throw new Error(faultMessage)
    return stretch(spoken, remaining)
  })
  const output = await inStage('resample', () => resample(timed, task.sampleRate))
  const samples = new Int16Array(output.samples.length + pauseFrames)
  samples.set(toInt16(output.samples))
  return { answer: { words: spoken.words && timeAnew(spoken.words, 0, remaining) }, samples }
}

/** The speech in the timbre and at the level of the voice, and at the speed of its engine. */
async function speak(engines: Engines, task: SynthesizeTask, synthesize: () => Promise<Speech>): Promise<Speech> {
  if (task.fault === 'synthesize') throw new Error(faultMessage)
  if (task.fault === 'hang') await Bun.sleep(hangMs)
  const { speed, words, ...raw } = await synthesize().catch((error) => leaveOut(task, error))
  requireSpeech(raw, task, speed)
  const plain = unconverted(task.voice, raw)
  const timing = { speed, words: words && timeAnew(words, trimSilence(raw).startSeconds, 1) }
  if (!task.voice.conversion) return { ...normalizeLoudness(plain), ...timing }
  const converted = await engines.convert(task.voice, plain)
  requireSpeech(converted, task, speed)
  return { ...normalizeLoudness(converted), ...timing }
}

/** Returns empty speech for a text of signs only, which a voice may have no name for; else throws `error`. */
function leaveOut({ letters, sampleRate }: SynthesizeTask, error: unknown): Speech {
  if (error instanceof NothingToSay && letters === 0) return { samples: new Float32Array(0), sampleRate, words: [] }
  throw error
}

function requireSpeech(speech: Pcm, { letters, symbols, voice: { language } }: SynthesizeTask, speed?: number): void {
  const expected = { letters, symbols, language, speed }
  const fault = findFault(speech, expected)
  if (!fault) return
  throw findAbsence(speech, expected) ? new NoSpeech(fault) : new Error(fault)
}

/** Word times after the first `startSeconds` are cut off and the rest is played at `speed`. */
function timeAnew(words: readonly TimedWord[], startSeconds: number, speed: number): TimedWord[] {
  const anew = (seconds: number) => Math.max(0, seconds - startSeconds) / speed
  return words.map((word) => ({
    ...word,
    startSeconds: anew(word.startSeconds),
    endSeconds: anew(word.endSeconds),
  }))
}
