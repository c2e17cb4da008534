/**
 * Finds the clause ends of eSpeak NG, named as in Piper's `espeakbridge.c`. The rules are those of eSpeak NG's
 * `readclause.c`, which reads a text by characters with a lookahead of one. The classes of marks were measured with
 * every character of the Basic Multilingual Plane.
 */

export type ClauseEnd = {
  /** The mark that Piper feeds as a phoneme; '' at other marks, blank lines and the end of the text. */
  readonly terminator: '' | '.' | '?' | '!' | ',' | ':' | ';'
  readonly endsSentence: boolean
}

export type TextClause = ClauseEnd & {
  /** The clause's part of the text, with its marks. */
  readonly text: string
}

type Mark = ClauseEnd & {
  /** Whether the clause ends even directly before a letter. */
  readonly always: boolean
}

const marks = new Map<string, Mark>()
const addMarks = (characters: string, terminator: Mark['terminator'], endsSentence: boolean, always = false) => {
  for (const character of characters) marks.set(character, { terminator, endsSentence, always })
}
addMarks('.۔܁܄።᙮᠃᠉⒈⒉⒊⒋⒌⒍⒎⒏⒐⒑⒒⒓⒔⒕⒖⒗⒘⒙⒚⒛⳹⳾⸳⸼꓿꘎꛳︒﹒｡', '.', true)
addMarks('?\u037e؟܉፧᥅⁇❓❔⳺⳻꘏꛷︖﹖', '?', true)
addMarks('!܃߹᥄‼❕❗❢❣︕﹗', '!', true)
addMarks(',،܂߸༔፣᠂᠈⸲⸴⹁꓾꘍꛵︐︑﹐﹑､', ',', false)
addMarks(':܆܇፥፦᠄⦂꛴︓﹕', ':', false)
addMarks(';\u0387؛܈፤–—⁏⸵⸺⸻꛶︔︱︲﹔', ';', false)
addMarks('܀॥༎჻፨', '', true)
addMarks('։।෴།。！．？', '', true, true)
addMarks('¡¿ຯ᠁…⋮⋯⋰⋱、︙，：；', '', false, true)

/** Equivalent to a space behind a mark. */
const brackets = new Set('()[]{}<>"\'`«»―‖‗‘’‚‛“”„‟《》')
const space = /^[\t\n\v\f\r \u0085\u2028\u2000-\u2006\u2008-\u200a\u205f\u3000]$/
/** A clause needs one of these characters; earlier marks end none. */
const spokenCharacter = /^[\p{L}\p{Nd}]$/u
const roman = /^[IVXL]$/
/** Limits of a clause in UTF-8 bytes: above the first it is cut at the next non-letter, at the second anywhere. */
const clauseBytes = { cut: 725, max: 796 }

const endOfText = '\0'
const paragraph: ClauseEnd = { terminator: '', endsSentence: true }
const textEnd: ClauseEnd = { terminator: '', endsSentence: false }

/**
 * Splits `text` into clauses. `ordinalDots`: whether the voice reads numbers with a dot, also Roman ones, as ordinals.
 * Characters that eSpeak NG drops may cause errors: compare the number of results with the clauses.
 */
export function splitClauses(text: string, ordinalDots: boolean): TextClause[] {
  const characters = [...text]
  const clauses: TextClause[] = []
  let at = 0
  let pushedBack = ''

  const atEnd = () => !pushedBack && at > characters.length
  function next(): string {
    if (pushedBack) {
      const character = pushedBack
      pushedBack = ''
      return character
    }
    return characters[at++] ?? endOfText
  }
  const pushBack = (character: string) => void (pushedBack = character === endOfText ? '' : character)

  /** Reads the clause that starts here. */
  function readClause(): ClauseEnd {
    let [beforePrevious, previous, current] = [' ', ' ', ' ']
    let ahead = next()
    let spoken = false
    let sizeBytes = 0
    while (!atEnd()) {
      beforePrevious = previous
      previous = current
      current = ahead
      ahead = next()
      if (atEnd()) ahead = ' '
      if (spokenCharacter.test(current)) spoken = true
      if (current === '\n') {
        let lines = 0
        while (!atEnd() && space.test(ahead)) {
          if (ahead === '\n') lines++
          ahead = next()
        }
        if (lines > 0) {
          pushBack(ahead)
          return paragraph
        }
      }
      if (current === '.' && ahead === '.') {
        let following = next()
        for (; following === '.'; following = next()) current = '…'
        if (current === '…') ahead = following
        else pushBack(following)
      }
      const mark = marks.get(current)
      if (mark) {
        while (marks.has(ahead)) ahead = next()
        if (space.test(ahead) || mark.always || brackets.has(ahead) || atEnd()) {
          let lines = 0
          let following = ahead
          if (space.test(following))
            while (!atEnd() && space.test(following)) {
              if (following === '\n') lines++
              following = next()
            }
          let ends = true
          if (lines === 0) {
            if (current === '.') {
              if (isLower(following)) ends = false
              if (ordinalDots && /[0-9]/.test(previous)) {
                if (following === '-') ends = false
              } else if (
                ordinalDots &&
                roman.test(previous) &&
                (roman.test(beforePrevious) || space.test(beforePrevious))
              )
                ends = false
              else if (following === "'" && characters[at] === 's') ends = false
            }
            if (!spoken) ends = false
          }
          if (ends) {
            pushBack(following)
            return lines > 1 ? paragraph : mark
          }
          if (!atEnd() && space.test(ahead)) pushBack(following)
        }
      }
      sizeBytes += Buffer.byteLength(current)
      if ((sizeBytes > clauseBytes.cut && !spokenCharacter.test(current)) || sizeBytes >= clauseBytes.max) {
        pushBack(ahead)
        return textEnd
      }
    }
    return textEnd
  }

  do {
    const start = at - pushedBack.length
    const { terminator, endsSentence } = readClause()
    clauses.push({ text: characters.slice(start, at - pushedBack.length).join(''), terminator, endsSentence })
  } while (at <= characters.length)
  return clauses
}

/** Whether the letter has a different one-letter upper case. */
function isLower(character: string): boolean {
  const upper = character.toUpperCase()
  return character === 'ß' || (upper !== character && upper.length === 1)
}
