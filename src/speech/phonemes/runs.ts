/** Tokens → ids of a vocabulary, in runs of limited length. */
import type { Token } from './spoken'

/** Ids by token; for Kokoro and KittenTTS each token is one code point. */
export type Vocabulary = ReadonlyMap<string, number>

/**
 * Where to cut a run that is too long, by the first class with a match: the marks of `waterfall_last` in
 * kokoro/pipeline.py (https://github.com/hexgrad/kokoro), then a space.
 */
const cuts: readonly RegExp[] = [/[!.?…]/, /[:;]/, /[,—]/, / /]
/** These stay with the preceding mark. */
const closing = /[)”"]/

/** Cuts into runs of at most `tokensMax` tokens. Drops tokens that `vocabulary` lacks, as all implementations do. */
export function cutRuns(tokens: readonly Token[], vocabulary: Vocabulary, tokensMax: number): Token[][] {
  let rest = tokens.filter(({ text }) => vocabulary.has(text))
  const runs: Token[][] = []
  while (rest.length > tokensMax) {
    const at = cutPosition(rest, tokensMax)
    runs.push(rest.slice(0, at))
    rest = rest.slice(at)
  }
  runs.push(rest)
  return runs.map(withoutOuterBlanks).filter((run) => run.some(({ word }) => word >= 0))
}

function cutPosition(tokens: readonly Token[], tokensMax: number): number {
  for (const cut of cuts) {
    let at = tokens.slice(0, tokensMax).findLastIndex(({ text }) => cut.test(text)) + 1
    if (at < tokensMax && closing.test(tokens[at]!.text)) at++
    if (tokens.slice(0, at).some(({ word }) => word >= 0)) return at
  }
  return tokensMax
}

function withoutOuterBlanks(run: Token[]): Token[] {
  const first = run.findIndex(({ text }) => text !== ' ')
  const last = run.findLastIndex(({ text }) => text !== ' ')
  return first < 0 ? [] : run.slice(first, last + 1)
}

/** `lead` … `trail`, e.g. 0 … 0. */
export function toIds(
  run: readonly Token[],
  vocabulary: Vocabulary,
  lead: readonly number[],
  trail: readonly number[],
): number[] {
  return [...lead, ...run.map(({ text }) => vocabulary.get(text)!), ...trail]
}
