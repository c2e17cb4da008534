/**
 * Converted voices in a worker process. A conversion starts from the base voice's own speaker embedding. Each process
 * extracts it once per voice from fixed sentences, so all processes use the same one. Any voice can be converted, also
 * one installed after the clone was made.
 */
import type { Pcm } from '../../audio/pcm'
import { modelKey, type ModelFiles, type VoiceSpec } from '../../speech/voice'
import { requireUnchanged } from '../../speech/models/snapshot'
import type { Runtime } from '../../speech/onnx/runtime'
import { tuningTexts } from '../../speech/tuning-texts'
import { loadConverter, type ToneConverter } from './converter'
import { meanSpeakerEmbedding, prepared } from './speaker-embedding'

export type Conversions = {
  /** Converts the speech of `voice` to the speaker embedding of its conversion, at the converter's sample rate. */
  convert(voice: VoiceSpec, speech: Pcm): Promise<Pcm>
  /** Loads the converter, or returns the loaded one. */
  converterOf(model: ModelFiles): Promise<ToneConverter>
}

/** `speakPlainly`: synthesizes without a conversion and without surrounding silence. */
export function createConversions(
  runtime: () => Promise<Runtime>,
  speakPlainly: (voice: VoiceSpec, text: string) => Promise<Pcm>,
): Conversions {
  const converters = new Map<string, Promise<ToneConverter>>()
  const speakerEmbeddings = new Map<string, Promise<Float32Array>>()

  function converterOf(model: ModelFiles): Promise<ToneConverter> {
    return remember(converters, modelKey(model), async () => {
      const converter = await loadConverter(model, await runtime())
      await requireUnchanged(model)
      return converter
    })
  }

  function speakerEmbeddingOf(voice: VoiceSpec, converter: ToneConverter): Promise<Float32Array> {
    const { id: _, conversion, ...plain } = voice
    const key = JSON.stringify([plain, modelKey(conversion!.model)])
    return remember(speakerEmbeddings, key, async () => {
      const spoken: Pcm[] = []
      for (const text of tuningTexts(voice.language)) spoken.push(await speakPlainly(voice, text))
      return meanSpeakerEmbedding(converter, spoken)
    })
  }

  return {
    converterOf,
    async convert(voice, speech) {
      const { model, to } = voice.conversion!
      const converter = await converterOf(model)
      if (speech.samples.length === 0) return { samples: speech.samples, sampleRate: converter.sampleRate }
      const from = await speakerEmbeddingOf(voice, converter)
      try {
        return await converter.convert(prepared(speech, converter.sampleRate), from, to)
      } catch (error) {
        // As for a failed engine: the converter's state is unknown.
        converters.delete(modelKey(model))
        throw error
      }
    },
  }
}

/** The cached value of `key`; computes it on a miss. Failures are not cached. */
function remember<T>(known: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  let value = known.get(key)
  if (!value) {
    value = make()
    known.set(key, value)
    value.catch(() => known.delete(key))
  }
  return value
}
