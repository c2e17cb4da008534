/** Format-independent damage to a file, with fixed seeds: truncation, flipped bits, lost and foreign bytes. */
import { noiseSource } from '../signals'

export type NamedFile = [name: string, bytes: Uint8Array]

/** Returns 0 to `below` − 1, the same sequence on every run. */
export function randomIntegers(seed: number): (below: number) => number {
  const noise = noiseSource(seed * 7919 + 1)
  return (below) => Math.floor(((noise() + 1) / 2) * below) % below
}

export function randomBytes(length: number, seed: number): Uint8Array {
  const random = randomIntegers(seed)
  return Uint8Array.from({ length }, () => random(256))
}

export function concat(...parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.concat(parts))
}

/** Returns 58 damaged files. */
export function damage(file: Uint8Array): NamedFile[] {
  return [...truncated(file), ...flipped(file), ...patched(file), ...rearranged(file)]
}

function truncated(file: Uint8Array): NamedFile[] {
  const shares = [0.1, 0.25, 0.5, 0.75, 0.9].map((share) => Math.floor(share * file.length))
  const lengths = [1, 4, 11, 12, 30, 44, 100, 256, 1024, ...shares, file.length - 1]
  return lengths.map((length) => [`first ${length} bytes`, file.slice(0, length)])
}

function flipped(file: Uint8Array): NamedFile[] {
  const flip = (count: number, within: number, seed: number) => {
    const bytes = Uint8Array.from(file)
    const random = randomIntegers(seed)
    for (let i = 0; i < count; i++) bytes[random(Math.min(within, bytes.length))]! ^= 1 << random(8)
    return bytes
  }
  const all = file.length
  return [1, 2, 3, 4, 5, 6].flatMap((seed): NamedFile[] => [
    [`4 bits of the head flipped, ${seed}`, flip(4, 64, seed)],
    [`1 bit of a thousand bytes flipped, ${seed}`, flip(Math.ceil(all / 1000), all, seed + 100)],
    [`1 bit of fifty bytes flipped, ${seed}`, flip(Math.ceil(all / 50), all, seed + 200)],
  ])
}

function patched(file: Uint8Array): NamedFile[] {
  const patch = (at: number, length: number, value: (i: number) => number) => {
    const bytes = Uint8Array.from(file)
    for (let i = at; i < Math.min(bytes.length, at + length); i++) bytes[i] = value(i)
    return bytes
  }
  const random = randomBytes(file.length, 300)
  return [0.02, 0.3, 0.7].flatMap((share): NamedFile[] => {
    const at = Math.floor(share * file.length)
    return [
      [`zeros at ${share}`, patch(at, 500, () => 0)],
      [`ones at ${share}`, patch(at, 500, () => 255)],
      [`anything at ${share}`, patch(at, 500, (i) => random[i]!)],
      [`500 bytes lost at ${share}`, concat(file.slice(0, at), file.slice(at + 500))],
      [`500 bytes twice at ${share}`, concat(file.slice(0, at + 500), file.slice(at))],
    ]
  })
}

function rearranged(file: Uint8Array): NamedFile[] {
  const half = file.length >> 1
  const headKept = (length: number, rest: Uint8Array) => concat(file.slice(0, length), rest)
  return [
    ['halves swapped', concat(file.slice(half), file.slice(0, half))],
    ['backwards', Uint8Array.from(file).reverse()],
    ['every second byte', file.filter((_, i) => i % 2 === 0)],
    ['twice', concat(file, file)],
    ['junk before', concat(randomBytes(777, 1), file)],
    ['junk behind', concat(file, randomBytes(5000, 2))],
    ['zeros before', concat(new Uint8Array(5000), file)],
    ['a head and junk', headKept(64, randomBytes(20_000, 3))],
    ['a longer head and junk', headKept(300, randomBytes(20_000, 4))],
    ['a head and zeros', headKept(64, new Uint8Array(100_000))],
  ]
}
