/**
 * The pace of an installed model: what its real-time factor means with the settings of this server. The probe measures
 * it first, and the requests measure it again.
 */
import { limits, type Config } from '../config'
import { deviceName } from '../speech/onnx/devices'
import type { Pack, PackPace, PaceConditions } from '../speech/models/pack'
import type { VoiceSpec } from '../speech/voice'
import { soundMeasure, soundPrior, utteranceMeasure } from './measures'
import type { Speeds } from './speeds'
import { crowding } from './task-clock'

export type PaceSettings = Pick<Config, 'workers' | 'ttsSecondsMax'> & {
  readonly cores: number
  /** Threads of one run. */
  readonly threads: number
  readonly modelMemoryBytes: number
  /** The configured compute provider. */
  readonly provider: string
}

/** A usual sentence. */
const sentenceCharacters = 100

export type Pacing = ReturnType<typeof createPacing>

export function createPacing(settings: PaceSettings) {
  let conditions: PaceConditions | undefined

  return {
    /** The conditions of a pace now. */
    conditions(): PaceConditions {
      const { workers, cores, threads, ttsSecondsMax, modelMemoryBytes, provider } = settings
      return (conditions ??= {
        machine: `${deviceName('cpu')}, ${cores} cores`,
        settings: [workers, threads, ttsSecondsMax, modelMemoryBytes, provider].join(' '),
      })
    },

    /** The pack with its pace. */
    rate(pack: Pack, realTimeFactor: number): Pack {
      const busyFactor = realTimeFactor * busyness(settings)
      const pace: PackPace = { realTimeFactor, charactersMax: longestText(pack, busyFactor, settings) }
      return { ...pack, pace, model: { ...pack.model, busyFactor } }
    },

    /**
     * The real-time factor of the voices, which belong to one model, as requests measured it lately; undefined when
     * they did not.
     */
    realTimeFactorOf(voices: readonly VoiceSpec[], speeds: Speeds): number | undefined {
      const factors = voices.flatMap((voice) => {
        const measure = utteranceMeasure(voice, sentenceCharacters, 1)
        if (!speeds.isKnown(measure.name)) return []
        return speeds.expected(measure) / 1000 / speeds.expected(soundMeasure(voice, sentenceCharacters))
      })
      return factors.length > 0 ? Math.max(...factors) / busyness(settings) : undefined
    },
  }
}

/** The factor on the time of a run while all workers are busy. */
function busyness({ workers, cores, threads }: PaceSettings): number {
  return crowding * Math.max(1, (workers * threads) / cores)
}

/** Characters of the longest text that is done in time on an idle machine; null without voices. */
function longestText({ voices, model }: Pack, busyFactor: number, settings: PaceSettings): number | null {
  const [voice] = voices
  if (!voice) return null
  const { workers, modelMemoryBytes, ttsSecondsMax } = settings
  const processes = Math.min(workers, Math.max(1, Math.floor(modelMemoryBytes / model.memoryBytes)))
  const { fixed, each } = soundPrior(voice.language)
  const sentenceSeconds = busyFactor * (fixed + each * sentenceCharacters)
  const sentences =
    ttsSecondsMax < sentenceSeconds
      ? ttsSecondsMax / sentenceSeconds
      : 1 + ((ttsSecondsMax - sentenceSeconds) * processes) / sentenceSeconds
  return Math.min(limits.textCharactersMax, advisedLength(sentences * sentenceCharacters))
}

/** Leaves time for a machine that becomes slower. */
const advisedShare = 0.8

/**
 * The length of a text that an operator or a customer is advised to stay below, in two digits. `characters`: as many as
 * would just fit.
 */
export function advisedLength(characters: number): number {
  const advised = advisedShare * characters
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, advised))) - 1)
  return Math.floor(advised / unit) * unit
}
