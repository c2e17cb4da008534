/** The syllables of Mandarin text. */

/** 5 is the neutral tone. */
export type Tone = 1 | 2 | 3 | 4 | 5

export type HanSyllable = {
  readonly hanzi: string
  /** As in pinyin, without `y` and `w`; '' for none. */
  readonly initial: string
  /** Unabbreviated: `iou`, `uei`, `uen`, `v` for ü; for 嗯 and similar `n`, `ng`, `m`. */
  readonly final: string
  /** The spoken tone, after tone sandhi. */
  readonly tone: Tone
  /** The dictionary's tone. */
  readonly citationTone: Tone
  /** Whether a word begins here. */
  readonly wordStart: boolean
  /** Whether this is a 儿 that only colors the preceding syllable (玩儿). */
  readonly rhotic: boolean
}

/** `other`: a word in other letters or digits, one mark, or one space for white space. */
export type Syllable = HanSyllable | { readonly other: string }
