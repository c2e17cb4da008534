/**
 * The loaded engines and converters of a worker process, and the sound that they make of a text: raw, adapted or
 * converted.
 */
import type { Pcm } from '../../audio/pcm'
import { trimSilence } from '../../audio/trim'
import { adapt } from '../../cloning/adapt/adapt'
import type { Conversions } from '../../cloning/convert/conversion'
import type { ToneConverter } from '../../cloning/convert/converter'
import { NothingToSay, type Speech, type SpeechEngine } from '../../speech/engine'
import { engineKey, type Loadable, type ModelFiles, type VoiceSpec } from '../../speech/voice'
import { loadRuntime } from './runtime'

export type LoadEngine = (voice: Loadable) => Promise<SpeechEngine>

export type Engines = {
  /** Loads the engine of `voice`, and its converter if it has one. */
  load(voice: Loadable): Promise<void>
  /** Synthesizes without adaptation and conversion. Throws the errors of `SpeechEngine.synthesize`. */
  synthesize(voice: VoiceSpec, text: string, speed: number): Promise<Speech>
  /** Synthesizes all texts in one run. Throws when the engine fails on any of them. */
  synthesizeBatch(voice: VoiceSpec, texts: readonly string[], speed: number): Promise<readonly Speech[]>
  /** Converts the speech of the voice, which has a conversion. */
  convert(voice: VoiceSpec, speech: Pcm): Promise<Pcm>
  converterOf(model: ModelFiles): Promise<ToneConverter>
}

/** `load` loads one engine, without a converter. */
export function createEngines(load: LoadEngine): Engines {
  const engines = new Map<string, Promise<SpeechEngine>>()
  let converting: Conversions | undefined

  function engineOf(voice: Loadable): Promise<SpeechEngine> {
    const key = keyOf(voice)
    const known = engines.get(key)
    if (known) return known
    const engine = load(voice)
    engines.set(key, engine)
    engine.catch(() => engines.delete(key))
    return engine
  }

  /** Drops an engine that failed, since its state is unknown; the next task loads it again. */
  async function synthesize(voice: VoiceSpec, text: string, speed: number): Promise<Speech> {
    try {
      return await (await engineOf(voice)).synthesize(voice, text, { speed })
    } catch (error) {
      if (!(error instanceof NothingToSay)) engines.delete(keyOf(voice))
      throw error
    }
  }

  /** Loads the conversion code on first use, since few voices need it. */
  async function conversions(): Promise<Conversions> {
    const { createConversions } = await import('../../cloning/convert/conversion')
    return (converting ??= createConversions(loadRuntime, async (voice, text) =>
      unconverted(voice, await synthesize(voice, text, 1)),
    ))
  }

  async function converterOf(model: ModelFiles): Promise<ToneConverter> {
    return (await conversions()).converterOf(model)
  }

  return {
    async load(voice) {
      await engineOf(voice)
      if (voice.conversion) await converterOf(voice.conversion.model)
    },
    synthesize,
    async synthesizeBatch(voice, texts, speed) {
      const engine = await engineOf(voice)
      if (!engine.synthesizeBatch) throw new Error(`the engine of ${voice.id} synthesizes no batches`)
      return engine.synthesizeBatch(voice, texts, { speed })
    },
    convert: async (voice, speech) => (await conversions()).convert(voice, speech),
    converterOf,
  }
}

/** The converters are kept by `Conversions`. */
function keyOf({ engine, model }: Loadable): string {
  return engineKey({ engine, model })
}

/** `raw` speech of the voice without surrounding silence, and adapted if the voice is. */
export function unconverted({ adaptation }: VoiceSpec, raw: Pcm): Pcm {
  const trimmed = trimSilence(raw)
  return adaptation ? adapt(trimmed, adaptation) : trimmed
}
