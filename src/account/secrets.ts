/** Random secrets in base62, for keys, sessions, invitations and passwords. */

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 62^43 > 2^256. */
export const secretDigits = 43

/** 43 base62 digits: a random number below 2^256. */
export function generateSecret(): string {
  let number = 0n
  for (const byte of crypto.getRandomValues(new Uint8Array(32))) number = (number << 8n) | BigInt(byte)
  let digits = ''
  for (let i = 0; i < secretDigits; i++) {
    digits = alphabet[Number(number % 62n)] + digits
    number /= 62n
  }
  return digits
}
