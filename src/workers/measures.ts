/** The cost measure of each kind of task, and its prior before any task was timed. */
import { engineKey, modelsOf, type Loadable, type VoiceSpec } from '../speech/voice'
import { baseLanguage, isSyllabic } from '../language'
import type { Task } from './protocol'
import type { Line, Measure, Prior } from './speeds'
import type { StreamFormat } from './streams'

/** Measure of a task's worker milliseconds; undefined for a negligible cost and for tasks that belong to no request. */
export function measureOf(task: Task): Measure | undefined {
  switch (task.kind) {
    case 'synthesize':
      return task.text === '' ? undefined : utteranceMeasure(task.voice, task.text.length, task.speed)
    case 'encode':
      return encodeMeasure(task, task.samples.length / task.sampleRate)
    case 'enrol':
      return enrolMeasure(task.by)
    case 'measure':
      return {
        ...{ name: `measure ${engineKey(task.voice)}`, family: 'measure', size: 1 },
        prior: modelPrior('measure', task.voice),
      }
    case 'analyze':
      return analyzeMeasure
    default:
      return undefined
  }
}

/** Worker milliseconds to synthesize, stretch and resample `characters`. */
export function utteranceMeasure(voice: VoiceSpec, characters: number, speed: number): Measure {
  const pace = speed === 1 ? '' : ' stretched'
  return {
    name: `say ${voiceKey(voice)}${pace}`,
    family: `say ${voice.engine}${voice.conversion ? ' converted' : ''}`,
    // Slower speech is longer audio, and cost grows with its length.
    size: characters / Math.min(1, speed),
    prior: probedLine(voice),
  }
}

/** Seconds of audio at speed 1. */
export function soundMeasure(voice: VoiceSpec, characters: number): Measure {
  const language = baseLanguage(voice.language)
  return { name: `sound ${voiceKey(voice)}`, family: `sound ${language}`, size: characters }
}

/** Worker milliseconds to encode so many seconds of audio. */
export function encodeMeasure({ format, sampleRate }: StreamFormat, seconds: number): Measure {
  return { name: `encode ${format} ${sampleRate}`, family: `encode ${format}`, size: seconds }
}

export function enrolMeasure(by: Loadable): Measure {
  const family = by.conversion ? 'enrol converted' : 'enrol'
  return { name: `enrol ${engineKey(by)}`, family, size: 1, prior: modelPrior(family, by) }
}

/** Sound that a model makes for a measurement, and for a voice. */
const tuningSeconds: Readonly<Record<string, number>> = { measure: 8, enrol: 24, 'enrol converted': 8 }

/** The prior of a task of cloning that speaks with a probed model; undefined without one. */
function modelPrior(family: string, { model }: Loadable): Line | undefined {
  if (model?.busyFactor === undefined) return undefined
  const { each } = priorOf(family)
  return { fixed: 0, each: each + 1000 * model.busyFactor * tuningSeconds[family]! }
}

export const analyzeMeasure: Measure = { name: 'analyze', family: 'analyze', size: 1 }

/** Cost of a clone's demo before its base voice is known. */
export function cloneDemoMeasure(isConverted: boolean): Measure {
  const family = isConverted ? 'say flite converted' : 'say flite'
  return { name: `demo ${family}`, family, size: cloneDemoCharacters }
}

const cloneDemoCharacters = 120

/** Milliseconds to load the engine and models of `voice`; the size is the models' megabytes. */
export function loadMeasure(voice: Loadable): Measure {
  const bytes = modelsOf(voice).reduce((sum, { memoryBytes }) => sum + memoryBytes, 0)
  return { name: `load ${engineKey(voice)}`, family: 'load', size: bytes / 1e6 }
}

/** A clone shares the key of its base, because both cost the same. */
function voiceKey(voice: VoiceSpec): string {
  const { settings, adaptation } = voice
  return `${engineKey(voice)} ${settings.voice} ${settings.speaker ?? ''}${adaptation ? ' adapted' : ''}`
}

/** Measured on two cores at 2.6 GHz. Measurements on this machine outweigh them after the first tasks. */
const priors: Readonly<Record<string, Prior>> = {
  'say flite': { fixed: 15, each: 1.2, typicalSize: 100 },
  'say espeak': { fixed: 10, each: 0.6, typicalSize: 100 },
  'say piper': { fixed: 30, each: 8, typicalSize: 100 },
  'say hibari': { fixed: 10, each: 1.2, typicalSize: 100 },
  'say vits': { fixed: 30, each: 10, typicalSize: 100 },
  'say kitten': { fixed: 60, each: 25, typicalSize: 100 },
  'say kokoro': { fixed: 100, each: 40, typicalSize: 100 },
  converted: { fixed: 300, each: 30, typicalSize: 100 },
  sound: { fixed: 0.2, each: 0.065, typicalSize: 100 },
  'sound syllabic': { fixed: 0.2, each: 0.22, typicalSize: 40 },
  'encode mp3': { fixed: 1, each: 8, typicalSize: 5 },
  'encode opus': { fixed: 1, each: 10, typicalSize: 5 },
  'encode flac': { fixed: 1, each: 2, typicalSize: 5 },
  'encode aac': { fixed: 1, each: 30, typicalSize: 5 },
  analyze: { fixed: 0, each: 300, typicalSize: 1 },
  enrol: { fixed: 0, each: 3000, typicalSize: 1 },
  'enrol converted': { fixed: 0, each: 1500, typicalSize: 1 },
  measure: { fixed: 0, each: 500, typicalSize: 1 },
  load: { fixed: 800, each: 10, typicalSize: 60 },
}

/** Line of a family that has no measurement yet. */
export function priorOf(family: string): Prior {
  const known = priors[family]
  if (known) return known
  return family.startsWith('sound ') ? soundPrior(family.slice(6)) : priors.converted!
}

/** Seconds of audio in that language (BCP 47) before any measurement. */
export function soundPrior(language: string): Prior {
  return priors[isSyllabic(baseLanguage(language)) ? 'sound syllabic' : 'sound']!
}

/** The line of a voice whose models were probed; undefined without a probed model. */
function probedLine({ engine, language, model, conversion }: VoiceSpec): Line | undefined {
  const converter = conversion?.model
  if (model?.busyFactor === undefined && converter?.busyFactor === undefined) return undefined
  const sound = soundPrior(language)
  const spoken = timesSound(model?.busyFactor, sound) ?? priorOf(`say ${engine}`)
  if (!converter) return spoken
  const { fixed, each } = timesSound(converter.busyFactor, sound) ?? priors.converted!
  return { fixed: spoken.fixed + fixed, each: spoken.each + each }
}

/** Milliseconds for so many seconds of sound. */
function timesSound(busyFactor: number | undefined, { fixed, each }: Line): Line | undefined {
  return busyFactor === undefined ? undefined : { fixed: 1000 * busyFactor * fixed, each: 1000 * busyFactor * each }
}
