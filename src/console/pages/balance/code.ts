/** Activation codes as people type and paste them. */

export const codeLength = 16

/** The letters and digits of a code, upper case. */
const bare = (text: string): string => text.replace(/[^0-9a-z]/gi, '').toUpperCase()

export const lengthOf = (text: string): number => bare(text).length

/** Writes `abcd1234…` as `ABCD-1234-…`. */
export function formatCode(text: string): string {
  return bare(text).replace(/(.{4})(?=.)/g, '$1-')
}

/** Where the caret stands in the formatted text: behind the same letter or digit as in what was typed. */
export function caretAfter(typed: string, caret: number): number {
  const before = lengthOf(typed.slice(0, caret))
  return before + Math.max(0, Math.floor((before - 1) / 4))
}
