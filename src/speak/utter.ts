/**
 * Synthesizes the utterances of one request, and works around texts that a healthy engine does not speak. The table of
 * unspoken characters (`text/unspoken.ts`) is incomplete: it knows neither how letters act on each other nor the
 * symbols of an installed model. Such a text must not make a request fail for ever.
 *
 * - A text in which the voice knows no symbol is spoken by the fallback voice for its script.
 * - A text whose audio is silent or implausibly long is split in halves. A single letter or word that still fails
 *   becomes a short pause.
 * - A voice that is also silent on a plain sentence of its language, or on a word of ASCII letters, is broken: the
 *   request fails.
 */
import type { TimedWord } from '../speech/engine'
import type { VoiceSpec } from '../speech/voice'
import type { Job, Sound } from '../workers/job'
import type { SynthesizeTask } from '../workers/protocol'
import { TaskFailed } from '../workers/task-failed'
import { countPronounced } from '../speech/text/normalize'
import { planUtterances, type Utterance } from '../speech/text/plan'
import type { ReadingVoice } from '../speech/text/reading-voice'
import { type Script, scriptRuns, scriptsOf } from '../speech/text/script'
import { tuningTexts } from '../speech/tuning-texts'

/** Pause in place of an unspoken text, in milliseconds. */
const leftOutMs = 150

/** The voices of a request by id. Fallback voices are added on first use. */
export type Cast = {
  readonly voices: Map<string, VoiceSpec>
  readonly asReadingVoice: (voice: VoiceSpec) => ReadingVoice
  readonly fallbackVoiceFor: (script: Script) => ReadingVoice
}

export type Utterer = {
  /** Throws `TaskFailed` and the errors of the scheduler. */
  utter(utterance: Utterance): Promise<Sound>
  /** Number of characters that became pauses because a voice did not speak them. */
  readonly leftOut: number
}

export function createUtterer(
  job: Pick<Job, 'synthesize'>,
  cast: Cast,
  settings: Pick<SynthesizeTask, 'sampleRate' | 'speed' | 'fault'>,
): Utterer {
  const { sampleRate, speed } = settings
  const spoken = new Set<string>()
  const probes = new Map<string, Promise<boolean>>()
  let leftOut = 0

  const readingVoiceOf = ({ voiceId }: Utterance) => cast.asReadingVoice(cast.voices.get(voiceId)!)

  async function synthesize(utterance: Utterance): Promise<Sound> {
    const { text, letters, symbols, pauseMs, voiceId } = utterance
    const voice = cast.voices.get(voiceId)!
    const sound = await job.synthesize({ kind: 'synthesize', voice, text, letters, symbols, pauseMs, ...settings })
    if (text === '') return { ...sound, words: [] }
    if (letters > 0) spoken.add(voiceId)
    return sound
  }

  async function utter(utterance: Utterance): Promise<Sound> {
    try {
      return await synthesize(utterance)
    } catch (error) {
      if (!(error instanceof TaskFailed) || !error.unspoken) throw error
      const others = error.unspoken === 'unknown' && planAnew(utterance)
      if (others) return await utterAll(others)
      if (!(await isInOrder(utterance))) throw error
      const halves = halve(utterance, readingVoiceOf(utterance))
      if (halves) return await utterAll(halves)
      if (/[A-Za-z]{2}/.test(utterance.text)) throw error
      leftOut += [...utterance.text].length
      return pause(utterance.pauseMs)
    }
  }

  async function utterAll(parts: readonly Utterance[]): Promise<Sound> {
    const sounds: Sound[] = []
    for (const part of parts) sounds.push(await utter(part))
    return joinSounds(sounds, sampleRate)
  }

  function isInOrder({ voiceId, language }: Utterance): Promise<boolean> | boolean {
    if (spoken.has(voiceId)) return true
    const probe = probes.get(voiceId) ?? speaksPlainly(voiceId, language)
    probes.set(voiceId, probe)
    return probe
  }

  async function speaksPlainly(voiceId: string, language: string): Promise<boolean> {
    const text = tuningTexts(language)[0]!
    try {
      await synthesize({ voiceId, language, text, ...countPronounced(text, language), pauseMs: 0 })
      return true
    } catch (error) {
      if (error instanceof TaskFailed) return false
      throw error
    }
  }

  /** Plans the text for the fallback voice of its prevailing script; undefined if that voice has just failed on it. */
  function planAnew(utterance: Utterance): Utterance[] | undefined {
    const fallback = cast.fallbackVoiceFor(scriptOf(utterance))
    if (fallback.id === utterance.voiceId) return undefined
    const parts = planUtterances(utterance.text, fallback, cast.fallbackVoiceFor)
    return [...parts.slice(0, -1), { ...parts.at(-1)!, pauseMs: utterance.pauseMs }]
  }

  function pause(pauseMs: number): Sound {
    const frames = Math.round(((leftOutMs + pauseMs) / 1000 / speed) * sampleRate)
    return { chunks: [new Int16Array(frames)], words: [] }
  }

  return {
    utter,
    get leftOut() {
      return leftOut
    },
  }
}

function scriptOf({ text, language }: Utterance): Script {
  const letters = new Map<Script, number>()
  for (const run of scriptRuns(text))
    if (run.script !== null) letters.set(run.script, (letters.get(run.script) ?? 0) + run.text.length)
  const [script] = [...letters].sort(([, a], [, b]) => b - a)[0] ?? []
  return script ?? scriptsOf(language)[0]!
}

/** Splits at the middle space, else between two characters; undefined for one character or one ASCII word. */
function halve({ text, pauseMs, voiceId, language }: Utterance, { alphabet }: ReadingVoice): Utterance[] | undefined {
  const words = text.trim().split(' ')
  const isWord = words.length === 1
  if (isWord && /^[\0-\x7F]*$/.test(text)) return undefined
  const units = isWord ? [...new Intl.Segmenter().segment(text.trim())].map(({ segment }) => segment) : words
  if (units.length < 2) return undefined
  const middle = units.length >> 1
  const halves = [units.slice(0, middle), units.slice(middle)].map((half) => half.join(isWord ? '' : ' '))
  return halves.map((half, i) => ({
    ...{ voiceId, language, text: half },
    ...countPronounced(half, language, alphabet),
    pauseMs: i === 0 ? 0 : pauseMs,
  }))
}

function joinSounds(sounds: readonly Sound[], sampleRate: number): Sound {
  let words: TimedWord[] | undefined = []
  let frames = 0
  for (const sound of sounds) {
    words = joinWords(words, sound.words, frames / sampleRate)
    for (const samples of sound.chunks) frames += samples.length
  }
  return { chunks: sounds.flatMap(({ chunks }) => chunks), words }
}

/** Appends `spoken` to `before`, shifted by `startSeconds`. undefined if either has no word times. */
export function joinWords(
  before: TimedWord[] | undefined,
  spoken: readonly TimedWord[] | undefined,
  startSeconds: number,
): TimedWord[] | undefined {
  if (!before || !spoken) return undefined
  for (const word of spoken)
    before.push({
      text: word.text,
      startSeconds: startSeconds + word.startSeconds,
      endSeconds: startSeconds + word.endSeconds,
    })
  return before
}
