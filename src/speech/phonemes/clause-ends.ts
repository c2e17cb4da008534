/** What ends a clause in the eyes of eSpeak NG, as Piper's `espeakbridge.c` names it. */

export type ClauseEnd = {
  /** The mark that Piper feeds as a phoneme; '' where a clause ends by other marks, at a blank line or with the text. */
  readonly terminator: '' | '.' | '?' | '!' | ',' | ':' | ';'
  readonly endsSentence: boolean
}

const nothing: ClauseEnd = { terminator: '', endsSentence: false }
const paragraph: ClauseEnd = { terminator: '', endsSentence: true }

const marks: Readonly<Record<string, ClauseEnd>> = {
  '.': { terminator: '.', endsSentence: true },
  '?': { terminator: '?', endsSentence: true },
  '!': { terminator: '!', endsSentence: true },
  ',': { terminator: ',', endsSentence: false },
  ':': { terminator: ':', endsSentence: false },
  ';': { terminator: ';', endsSentence: false },
  '—': { terminator: ';', endsSentence: false },
  '–': { terminator: ';', endsSentence: false },
  '。': paragraph,
  '！': paragraph,
  '？': paragraph,
  '，': nothing,
  '、': nothing,
  '；': nothing,
  '：': nothing,
  '…': nothing,
}

/**
 * From where eSpeak NG said that it ended each clause (1-based, in code points): walks back to the marks there and takes
 * the first. `parts`: the phonemes of the clauses.
 */
export function endsByPosition(text: string, positions: readonly number[], parts: readonly string[]): ClauseEnd[] {
  const characters = [...text]
  return parts.map((part, index) => {
    const last = index === parts.length - 1
    if (index >= positions.length || (!part && last)) return part ? nothing : paragraph
    let at = Math.min(positions[index]!, characters.length) - 1
    const around = characters.slice(Math.max(0, at - 3), at + 2).join('')
    for (let steps = 0; steps < 4 && at >= 0 && !(characters[at]! in marks); steps++, at--)
      if ((steps > 1 || last) && /[\p{L}\p{N}]/u.test(characters[at]!)) break
    if (/\n[ \t]*\n/.test(around)) return paragraph
    if (at < 0 || !(characters[at]! in marks)) return nothing
    while (at > 0 && characters[at - 1]! in marks) at--
    if (characters[at] === '.' && characters[at + 1] === '.') return nothing
    return marks[characters[at]!]!
  })
}
