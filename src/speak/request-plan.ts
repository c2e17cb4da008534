/** Plans the utterances of one request, and the voices that speak them. */
import { convertedCharactersMax, utteranceCharactersMax } from '../speech/engine'
import { blockCharactersMax, planBlocks, type Planned } from '../speech/text/blocks'
import type { ReadingVoice } from '../speech/text/reading-voice'
import type { Script } from '../speech/text/script'
import { alphabetOf } from '../speech/text/unspoken'
import type { VoiceSpec } from '../speech/voice'
import type { Cast } from './utter'

export type TextToSpeak = {
  readonly text: string
  readonly voice: VoiceSpec
  /** The voice that speaks a script which `voice` cannot. */
  readonly fallbackVoiceFor: (script: Script) => VoiceSpec
}

export type RequestPlan = {
  readonly planned: Iterator<Planned, unknown>
  /** All of `planned` if the text fits in one block, as in every HTTP request; empty for longer texts. */
  readonly known: readonly Planned[]
  readonly cast: Cast
}

export function planRequest({ text, voice, fallbackVoiceFor }: TextToSpeak): RequestPlan {
  const voices = new Map([[voice.id, voice]])
  const cast: Cast = {
    voices,
    asReadingVoice,
    fallbackVoiceFor(script) {
      const fallback = fallbackVoiceFor(script)
      voices.set(fallback.id, fallback)
      return asReadingVoice(fallback)
    },
  }
  const blocks = planBlocks(text, asReadingVoice(voice), cast.fallbackVoiceFor)
  const known = text.length <= blockCharactersMax ? [...blocks] : []
  return { planned: known.length > 0 ? known.values() : blocks, known, cast }
}

function asReadingVoice(spec: VoiceSpec): ReadingVoice {
  const { id, language, conversion } = spec
  const charactersMax = conversion ? convertedCharactersMax(language) : utteranceCharactersMax
  return { id, language, charactersMax, alphabet: alphabetOf(spec) }
}
