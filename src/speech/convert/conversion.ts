/**
 * Converted voices in a worker process. The tone that a conversion starts from is that of the voice as it speaks without:
 * it is taken once per process and voice, from sentences that are always the same, so that every process has the same
 * one; and any voice can be converted, also one that was not there when the clone was made.
 */
import type { Pcm } from '../../audio/pcm'
import { modelKey, type ModelFiles, type VoiceSpec } from '../engine'
import { requireUnchanged } from '../models/snapshot'
import type { Runtime } from '../onnx/runtime'
import { tuningTexts } from '../tuning-texts'
import { loadConverter, type ToneConverter } from './converter'
import { meanTone, prepared } from './tone'

export type Conversions = {
  /** What `voice` said, with the tone that its conversion says, at the converter's sample rate. */
  convert(voice: VoiceSpec, speech: Pcm): Promise<Pcm>
  /** Loads the converter, or has it already. */
  converterOf(model: ModelFiles): Promise<ToneConverter>
}

/** `speakPlainly`: speaks as the voice does without a conversion, no silence around it. */
export function createConversions(
  runtime: () => Promise<Runtime>,
  speakPlainly: (voice: VoiceSpec, text: string) => Promise<Pcm>,
): Conversions {
  const converters = new Map<string, Promise<ToneConverter>>()
  const tones = new Map<string, Promise<Float32Array>>()

  function converterOf(model: ModelFiles): Promise<ToneConverter> {
    return remember(converters, modelKey(model), async () => {
      const converter = await loadConverter(model, await runtime())
      await requireUnchanged(model)
      return converter
    })
  }

  function toneOf(voice: VoiceSpec, converter: ToneConverter): Promise<Float32Array> {
    const { id: _, conversion, ...plain } = voice
    const key = JSON.stringify([plain, modelKey(conversion!.model)])
    return remember(tones, key, async () => {
      const spoken: Pcm[] = []
      for (const text of tuningTexts(voice.language)) spoken.push(await speakPlainly(voice, text))
      return meanTone(converter, spoken)
    })
  }

  return {
    converterOf,
    async convert(voice, speech) {
      const { model, to } = voice.conversion!
      const converter = await converterOf(model)
      if (speech.samples.length === 0) return { samples: speech.samples, sampleRate: converter.sampleRate }
      const from = await toneOf(voice, converter)
      try {
        return await converter.convert(prepared(speech, converter.sampleRate), from, to)
      } catch (error) {
        // As an engine that failed: nobody knows what state it is in.
        converters.delete(modelKey(model))
        throw error
      }
    },
  }
}

/** What is under `key`, made where it is missing; a failure is not kept. */
function remember<T>(known: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  let value = known.get(key)
  if (!value) {
    value = make()
    known.set(key, value)
    value.catch(() => known.delete(key))
  }
  return value
}
