/** Symbols → ids of a vocabulary, in runs that a model takes at once. */
import type { Symbol } from './spoken'

/** Ids of symbols; of Kokoro and KittenTTS each symbol is one code point. */
export type Vocabulary = ReadonlyMap<string, number>

/**
 * Where a run too long is cut, the first of these that has a mark in it: the marks of `waterfall_last` in
 * kokoro/pipeline.py (https://github.com/hexgrad/kokoro), then a blank.
 */
const cuts: readonly RegExp[] = [/[!.?…]/, /[:;]/, /[,—]/, / /]
/** They stay with the mark before them. */
const closing = /[)”"]/

/** Runs of at most `symbolsMax` symbols that `vocabulary` has; others are dropped, as all implementations do. */
export function cutRuns(symbols: readonly Symbol[], vocabulary: Vocabulary, symbolsMax: number): Symbol[][] {
  let rest = symbols.filter(({ text }) => vocabulary.has(text))
  const runs: Symbol[][] = []
  while (rest.length > symbolsMax) {
    const at = cutPosition(rest, symbolsMax)
    runs.push(rest.slice(0, at))
    rest = rest.slice(at)
  }
  runs.push(rest)
  return runs.map(withoutOuterBlanks).filter((run) => run.some(({ word }) => word >= 0))
}

function cutPosition(symbols: readonly Symbol[], symbolsMax: number): number {
  for (const cut of cuts) {
    let at = symbols.slice(0, symbolsMax).findLastIndex(({ text }) => cut.test(text)) + 1
    if (at < symbolsMax && closing.test(symbols[at]!.text)) at++
    if (symbols.slice(0, at).some(({ word }) => word >= 0)) return at
  }
  return symbolsMax
}

function withoutOuterBlanks(run: Symbol[]): Symbol[] {
  const first = run.findIndex(({ text }) => text !== ' ')
  const last = run.findLastIndex(({ text }) => text !== ' ')
  return first < 0 ? [] : run.slice(first, last + 1)
}

/** `lead` … `trail`, e.g. 0 … 0. */
export function toIds(
  run: readonly Symbol[],
  vocabulary: Vocabulary,
  lead: readonly number[],
  trail: readonly number[],
): number[] {
  return [...lead, ...run.map(({ text }) => vocabulary.get(text)!), ...trail]
}
