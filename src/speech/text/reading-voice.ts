/** A voice for the text front end. */

/** `language`: BCP 47. `charactersMax`: most characters in one call of its engine. */
export type ReadingVoice = {
  id: string
  language: string
  charactersMax: number
  /** Its row in the table of unspoken characters; undefined: unspoken text only shows in synthesis. */
  alphabet?: string | undefined
}
