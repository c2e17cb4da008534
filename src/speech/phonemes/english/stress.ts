/** misaki's English phonemes: classes of sounds, and changes of a word's stress. One character is one phoneme. */

export const primary = 'ˈ'
export const secondary = 'ˌ'
const vowels = new Set('AIOQWYaiuæɑɒɔəɛɜɪʊʌᵻ')
const consonants = new Set('bdfhjklmnpstvwzðŋɡɹɾʃʒʤʧθ')
/** Sounds that weigh as two. */
const heavy = new Set('AIOQWYʤʧ')

export function isVowel(phoneme: string): boolean {
  return vowels.has(phoneme)
}

export function isConsonant(phoneme: string): boolean {
  return consonants.has(phoneme)
}

/** Number of characters, marks included, where diphthongs and affricates count twice. */
export function weigh(phonemes: string): number {
  let weight = 0
  for (const phoneme of phonemes) weight += heavy.has(phoneme) ? 2 : 1
  return weight
}

/**
 * Changes the stress of a word by a degree: −1 and −0.5 lower primary to secondary; 0 and 0.5 give secondary stress to
 * a word without any (0 also lowers); 1 raises secondary to primary; 2 also gives primary stress to a word without any.
 */
export function applyStress(phonemes: string, degree: number | undefined): string {
  if (degree === undefined) return phonemes
  const hasPrimary = phonemes.includes(primary)
  const hasSecondary = phonemes.includes(secondary)
  if (degree === -1 || (degree <= 0 && hasPrimary))
    return phonemes.replaceAll(secondary, '').replaceAll(primary, secondary)
  if (degree >= 1 && !hasPrimary && hasSecondary) return phonemes.replaceAll(secondary, primary)
  const stressless = !hasPrimary && !hasSecondary
  if (stressless && degree >= 0) return stressFirstVowel(phonemes, degree > 1 ? primary : secondary)
  return phonemes
}

function stressFirstVowel(phonemes: string, mark: string): string {
  const at = [...phonemes].findIndex(isVowel)
  return at < 0 ? phonemes : phonemes.slice(0, at) + mark + phonemes.slice(at)
}
