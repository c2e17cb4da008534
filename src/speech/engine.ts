/** What a speech engine is to the pipeline, and the list of the built-in ones. An engine lives in a worker process. */
import type { Pcm } from '../audio/pcm'
import type { Adaptation } from './adapt/adapt'

export type EngineName = 'flite' | 'espeak'

/** A voice as the engines see it. */
export type VoiceSpec = {
  readonly id: string
  readonly engine: EngineName
  /** BCP 47. */
  readonly language: string
  /** Of the engine's output for this voice, Hz. */
  readonly sampleRate: number
  /** The engine's own parameters; each engine checks those it knows. */
  readonly settings: VoiceSettings
  /** What is done to the engine's output to make another voice of it. */
  readonly adaptation?: Adaptation
}

export type VoiceSettings = {
  /** The engine's name of the voice: Flite `rms`; eSpeak NG `cmn+f3` (language, then variant). */
  readonly voice: string
  /** Flite: mean of the fundamental frequency; `rms` ignores it. */
  readonly pitchHz?: number
  /** eSpeak NG: 0 to 99, 50 is the variant's own. */
  readonly pitch?: number
  /** eSpeak NG: how far the melody moves, 0 (flat) to 99. */
  readonly pitchRange?: number
  /** eSpeak NG: 80 to 450. */
  readonly wordsPerMinute?: number
}

export interface SpeechEngine {
  /**
   * Speaks one utterance whose text is already a normalized reading. Same voice and text, same samples, whatever was
   * spoken before. Throws on any failure of the engine.
   */
  synthesize(voice: VoiceSpec, text: string): Promise<Pcm>
}

/**
 * The longest utterance an engine is given at once, in characters. Longer calls speak no faster per character, their
 * memory grows with the length, and short ones keep the queue fair.
 */
export const utteranceCharactersMax = 300

/** Loads an engine; each worker process does so at most once per engine. */
export async function loadEngine(name: EngineName): Promise<SpeechEngine> {
  switch (name) {
    case 'flite':
      return (await import('./engines/flite')).loadFlite()
    case 'espeak':
      return (await import('./engines/espeak')).loadEspeak()
  }
}
