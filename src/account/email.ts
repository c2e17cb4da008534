/** E-mail addresses: the folded form by which a person is found. */

/**
 * Equal for addresses that differ only in case or in the form of their accents. The way over upper case joins letters
 * with two lower-case forms, such as the final sigma.
 */
export function foldEmail(email: string): string {
  return email.normalize('NFC').toLowerCase().toUpperCase().toLowerCase().normalize('NFC')
}
