/** Texts to speak. They need no normalization, so that the raw engine gets the same input as from the product. */

const words = [
  ['sea', 'sun', 'old', 'few', 'and', 'her'],
  ['wind', 'rain', 'tall', 'boat', 'into', 'with'],
  ['river', 'stone', 'under', 'quiet', 'light', 'early'],
  ['garden', 'window', 'letter', 'behind', 'summer', 'yellow'],
  ['morning', 'village', 'between', 'silence', 'evening', 'station'],
  ['children', 'mountain', 'northern', 'slowly', 'remember', 'together'],
  ['beautiful', 'afternoon', 'neighbour', 'sometimes', 'important', 'wonderful'],
]
const wordLettersMin = 3
const wordLettersMax = wordLettersMin + words.length - 1

/** Returns sentence number `index` with exactly `characters` (at least 20). The same number gives the same sentence. */
export function sentence(characters: number, index = 0): string {
  let state = (index + 1) * 7919
  const random = (below: number) => {
    state = (state * 1103515245 + 12345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
  let text = 'The'
  for (;;) {
    // The characters left for a blank and a word, before the full stop.
    const letters = characters - text.length - 2
    const last = letters <= wordLettersMax
    const most = last ? letters : Math.min(wordLettersMax, letters - wordLettersMin - 1)
    const ofLength = last ? letters : wordLettersMin + random(most - wordLettersMin + 1)
    const choices = words.flat().filter((word) => word.length === ofLength)
    text += ` ${choices[random(choices.length)]}`
    if (last) return `${text}.`
  }
}

/** Twenty sentences that form a text of 2000 characters when joined by blanks. */
export const longTextSentences = Array.from({ length: 20 }, (_, index) => sentence(index < 19 ? 99 : 100, index))
export const longText = longTextSentences.join(' ')
