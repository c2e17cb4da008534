/** Word times from the durations of a model's tokens. */
import type { TimedWord } from '../engine'
import type { Token } from '../phonemes/spoken'

/** In samples from the start of the utterance. */
export type Span = { start: number; end: number }

export type RunPlace = {
  /** Number of ids before the tokens. */
  readonly lead: number
  /** Lag of the sound behind the durations, in their unit. */
  readonly lagUnits: number
  /** Length of the run's sound, which gives the length of a unit. */
  readonly samples: number
  /** Samples of the utterance before the run. */
  readonly offset: number
}

/** Adds the words of one run to `times`, by word. A blank is split evenly between its neighbors. */
export function placeWords(
  run: readonly Token[],
  durations: readonly number[],
  { lead, lagUnits, samples, offset }: RunPlace,
  times: (Span | undefined)[],
): void {
  const total = durations.reduce((sum, duration) => sum + duration, 0)
  if (!(total > 0)) return
  const unit = samples / total
  let at = 0
  for (let i = 0; i < lead; i++) at += durations[i]!
  at = Math.max(0, at - lagUnits)
  const place = (units: number) => offset + units * unit
  for (const [index, token] of run.entries()) {
    const duration = durations[lead + index]!
    if (token.word >= 0) {
      const half = (neighbour: number) => (run[neighbour]?.text === ' ' ? durations[lead + neighbour]! / 2 : 0)
      const first = run[index - 1]?.word !== token.word
      const span = (times[token.word] ??= { start: place(at - (first ? half(index - 1) : 0)), end: 0 })
      const last = run[index + 1]?.word !== token.word
      span.end = place(at + duration + (last ? half(index + 1) : 0))
    }
    at += duration
  }
}

/** Leaves out words without a time. `frames`: length of the utterance. */
export function toTimedWords(
  words: readonly string[],
  times: readonly (Span | undefined)[],
  { frames, sampleRate }: { readonly frames: number; readonly sampleRate: number },
): TimedWord[] {
  return words.flatMap((text, index): TimedWord[] => {
    const span = times[index]
    if (!span) return []
    const end = Math.min(span.end, frames)
    return [{ text, startSeconds: Math.min(span.start, end) / sampleRate, endSeconds: end / sampleRate }]
  })
}
