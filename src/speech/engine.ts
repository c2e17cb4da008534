/** The interface between the pipeline and speech engines. */
import type { Pcm } from '../audio/pcm'
import { isSyllabic } from '../language'
import type { VoiceSpec } from './voice'

/** Start and end of a word in the audio of its utterance. */
export type TimedWord = { readonly text: string; readonly startSeconds: number; readonly endSeconds: number }

export type Speech = Pcm & {
  /** The part of the requested speed that the engine applied; undefined is 1. The pipeline applies the rest. */
  readonly speed?: number
  /** Undefined if the engine reports no word times. */
  readonly words?: readonly TimedWord[]
}

/** The voice knows no symbol of the text. The engine remains usable. */
export class NothingToSay extends Error {
  override readonly name = 'NothingToSay'
  constructor() {
    super('the voice cannot say any part of the text')
  }
}

/** The audio is silent or of an implausible length. Another text shows whether the engine or the text is the cause. */
export class NoSpeech extends Error {
  override readonly name = 'NoSpeech'
}

export interface SpeechEngine {
  /**
   * Synthesizes one utterance from normalized text. The samples depend only on voice, text and speed. Throws
   * `NothingToSay`, and other errors when the engine fails.
   */
  synthesize(voice: VoiceSpec, text: string, options?: { readonly speed: number }): Promise<Speech>
  /** Synthesizes several texts in one run, if the graph supports it. */
  synthesizeBatch?(voice: VoiceSpec, texts: readonly string[], options: { readonly speed: number }): Promise<Speech[]>
}

/**
 * Most characters in one call of an engine. Longer calls are no faster per character and need more memory, and short
 * calls keep the queue fair.
 */
export const utteranceCharactersMax = 300

/**
 * Like `utteranceCharactersMax`, for converted voices: about 15 seconds of audio, because the converter does most of
 * the work. Languages written in syllables or words get fewer characters.
 */
export function convertedCharactersMax(language: string): number {
  return isSyllabic(language) ? 60 : 160
}
