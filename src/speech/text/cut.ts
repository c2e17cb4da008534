/**
 * Cuts a reading that is too long for one call of an engine: at the last clause mark that fits, else at the last space,
 * else between any two characters.
 */

/** Silence at speed 1, by the end of a piece. */
const pausesMs = { comma: 120, semicolon: 200, join: 30 }

/** Cuts into pieces of at most `charactersMax` UTF-16 units; never splits a character. Only spaces are lost. */
export function cutReading(text: string, charactersMax: number): string[] {
  const pieces: string[] = []
  let rest = text.trim()
  while (rest.length > charactersMax) {
    const at = cutPosition(rest, charactersMax)
    pieces.push(rest.slice(0, at).trimEnd())
    rest = rest.slice(at).trimStart()
  }
  pieces.push(rest)
  return pieces
}

/** The pause between this piece and the next of the same sentence. */
export function innerPauseMs(piece: string): number {
  const mark = /[\p{P}]*$/u.exec(piece.trimEnd())![0]
  if (/[;:；：—]/.test(mark)) return pausesMs.semicolon
  return /[,，、]/.test(mark) ? pausesMs.comma : pausesMs.join
}

function cutPosition(text: string, charactersMax: number): number {
  const window = text.slice(0, charactersMax + 1)
  // A mark in the first quarter would leave a tiny piece.
  const fits = (at: number) => at > charactersMax / 4 && at <= charactersMax
  let clause = 0
  for (const match of window.matchAll(/[,;:—](?=\s)|[，、；：。！？]/g)) {
    if (fits(match.index + 1)) clause = match.index + 1
  }
  if (clause > 0) return clause
  const space = window.lastIndexOf(' ')
  if (fits(space)) return space
  let at = Math.max(1, charactersMax)
  // Do not cut between a letter and its marks, nor inside a surrogate pair or an emoji sequence.
  for (let back = 0; back < 16 && at > 1 && /^[\p{M}\u200D\uDC00-\uDFFF]/u.test(text.slice(at, at + 2)); back++) at--
  if (/[\uD800-\uDBFF]/.test(text[at - 1]!) && /[\uDC00-\uDFFF]/.test(text[at] ?? '')) at++
  return at
}
