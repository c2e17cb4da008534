/** ID3v2 tags (id3.org, 2.4.0): players put them before MP3, AAC and FLAC. */
import { isAt } from './bytes'

const headBytes = 10

/** Offset of the sound behind all leading tags. Tag lengths have seven bits a byte. */
export function skipId3(bytes: Uint8Array): number {
  let at = 0
  while (isAt(bytes, at, 'ID3') && at + headBytes <= bytes.length) {
    const hasFooter = (bytes[at + 5]! & 0x10) !== 0
    let lengthBytes = 0
    for (let i = 6; i < headBytes; i++) lengthBytes = (lengthBytes << 7) | (bytes[at + i]! & 127)
    at += headBytes + lengthBytes + (hasFooter ? headBytes : 0)
  }
  return Math.min(at, bytes.length)
}
