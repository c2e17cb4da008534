/** A voice as the text front end sees it. */

/** `language`: BCP 47. `charactersMax`: what its engine takes in one call. */
export type ReadingVoice = {
  id: string
  language: string
  charactersMax: number
  /** Its row of the table of what engines do not say; without one, whatever it cannot say shows when it speaks. */
  alphabet?: string | undefined
}
