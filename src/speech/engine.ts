/** What a speech engine is to the pipeline. */
import type { Pcm } from '../audio/pcm'
import { baseLanguage } from './language'
import type { VoiceSpec } from './voice'

/** Where a word is in the sound of its utterance. */
export type TimedWord = { readonly text: string; readonly startSeconds: number; readonly endSeconds: number }

export type Speech = Pcm & {
  /** What the engine did of the speed it was asked for; 1 where it says nothing. The pipeline does the rest. */
  readonly speed?: number
  /** Where the engine can tell. */
  readonly words?: readonly TimedWord[]
}

/** Nothing in the text has a sound in this voice. The engine is as good as before. */
export class NothingToSay extends Error {
  override readonly name = 'NothingToSay'
  constructor() {
    super('the text has nothing that this voice can say')
  }
}

/** The sound is none, or its length is absurd. Whether the engine or the text is the cause shows on another text. */
export class NoSpeech extends Error {
  override readonly name = 'NoSpeech'
}

export interface SpeechEngine {
  /**
   * Speaks one utterance whose text is already a normalized reading. Same voice, text and speed, same samples, whatever
   * was spoken before. Throws `NothingToSay`, and on any failure of the engine.
   */
  synthesize(voice: VoiceSpec, text: string, options?: { readonly speed: number }): Promise<Speech>
  /** The same for several texts in one run, where the graph allows that. */
  synthesizeBatch?(voice: VoiceSpec, texts: readonly string[], options: { readonly speed: number }): Promise<Speech[]>
}

/**
 * The longest utterance an engine is given at once, in characters. Longer calls speak no faster per character, their
 * memory grows with the length, and short ones keep the queue fair.
 */
export const utteranceCharactersMax = 300

/**
 * As `utteranceCharactersMax`, where the speech is converted after: about 15 seconds of sound, of which the converter
 * makes most of the work. Of a language that is written in syllables or words, fewer.
 */
export function convertedCharactersMax(language: string): number {
  return ['zh', 'cmn', 'yue', 'ja', 'ko'].includes(baseLanguage(language)) ? 60 : 160
}
