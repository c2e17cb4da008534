/**
 * What ends a clause in the eyes of eSpeak NG, as Piper's `espeakbridge.c` names it. The rules are those of eSpeak NG's
 * `readclause.c`, which reads a text one character at a time and looks one ahead; which character is what kind of mark
 * was found by asking it for every character of the Basic Multilingual Plane.
 */

export type ClauseEnd = {
  /** The mark that Piper feeds as a phoneme; '' where a clause ends by other marks, at a blank line or with the text. */
  readonly terminator: '' | '.' | '?' | '!' | ',' | ':' | ';'
  readonly endsSentence: boolean
}

export type TextClause = ClauseEnd & {
  /** Its own part of the text, with its marks. */
  readonly text: string
}

type Mark = ClauseEnd & {
  /** Whether the clause ends even where a letter follows at once. */
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

/** Like a blank behind a mark. */
const brackets = new Set('()[]{}<>"\'`«»―‖‗‘’‚‛“”„‟《》')
const space = /^[\t\n\v\f\r \u0085\u2028\u2000-\u2006\u2008-\u200a\u205f\u3000]$/
/** Something to say in a clause; a mark before that ends none. */
const spokenCharacter = /^[\p{L}\p{Nd}]$/u
const roman = /^[IVXL]$/
/** Bytes of UTF-8 in a clause: beyond the first it is cut at the next character that is no letter, at the second anywhere. */
const clauseBytes = { cut: 725, max: 796 }

const endOfText = '\0'
const paragraph: ClauseEnd = { terminator: '', endsSentence: true }
const textEnd: ClauseEnd = { terminator: '', endsSentence: false }

/**
 * The clauses of `text`. `ordinalDots`: whether the voice takes a number with a dot, a Roman one too, for an ordinal
 * number. Characters that eSpeak NG leaves out may make the result wrong: see whether their number is that of the clauses.
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

  /** Of the clause that begins here. */
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

/** A letter with one other letter for upper case. */
function isLower(character: string): boolean {
  const upper = character.toUpperCase()
  return character === 'ß' || (upper !== character && upper.length === 1)
}
