/** SHA-256 against the examples of FIPS 180-4. */
import { expect, it } from 'bun:test'
import { sha256, sha256Hex } from '../src/hash'

it('hashes texts as UTF-8, and bytes', () => {
  expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  expect(sha256Hex('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
  expect(sha256Hex(new TextEncoder().encode('音'))).toBe(sha256Hex('音'))
  expect(sha256('abc')).toEqual(Buffer.from(sha256Hex('abc'), 'hex'))
})
