/** The playground cuts long texts into requests, and joins their audio into one file. */
import { describe, expect, it } from 'bun:test'
import fc from 'fast-check'
import { decode } from '../../src/audio/decode/decode'
import type { Encoder } from '../../src/audio/encode/encoder'
import { createMp3Encoder, mp3BitrateKbps } from '../../src/audio/encode/mp3'
import { createWavEncoder } from '../../src/audio/encode/wav'
import { toInt16 } from '../../src/audio/pcm'
import { countCharacters, cutText, partCharactersMax } from '../../src/console/pages/speak/cut'
import { joinAudio } from '../../src/console/pages/speak/download'
import { limits } from '../audio/decode/recordings'
import { tone } from '../audio/signals'

const withoutSpace = (text: string) => text.replace(/\s+/g, '')

function expectParts(text: string): string[] {
  const parts = cutText(text)
  for (const part of parts) {
    expect(countCharacters(part)).toBeLessThanOrEqual(partCharactersMax)
    expect(part.isWellFormed()).toBe(true)
  }
  // Nothing but white space is lost, and nothing is said twice.
  expect(withoutSpace(parts.join(''))).toBe(withoutSpace(text.toWellFormed()))
  return parts
}

describe('cutText', () => {
  it('sends a text that fits as it was written', () => {
    for (const text of [' Hello \n', 'a'.repeat(2000), '😀'.repeat(2000)]) expect(cutText(text)).toEqual([text])
  })

  it('cuts at the end of a paragraph, else of a sentence', () => {
    const paragraph = `${'One sentence of some length here. '.repeat(40)}End.`
    expect(expectParts(`${paragraph}\n\n${paragraph}\n \n${paragraph}`)).toEqual([paragraph, paragraph, paragraph])
    for (const sentence of [
      'Mr. Smith paid $3.50 for it at 5 p.m. yesterday. ',
      '我们今天去了公园。天气很好！',
      'ご注文は以上でよろしいでしょうか？ ',
    ])
      for (const part of expectParts(sentence.repeat(300))) expect(part).toMatch(/[a-z]\.$|[。！？]$/)
  })

  it('cuts a sentence without an end at a space, and a word without one between its characters', () => {
    for (const part of expectParts('word '.repeat(2000))) expect(part).toMatch(/^word.*word$/)
    const family = '👩‍👩‍👧‍👦'
    for (const part of expectParts(family.repeat(900))) expect(part).toBe(family.repeat(part.length / family.length))
    for (const part of expectParts('é'.normalize('NFD').repeat(1500))) expect(part.normalize('NFC')).toMatch(/^é+$/)
    expect(expectParts(`a${'\u0301'.repeat(5000)}`).length).toBe(3)
  })

  it('leaves no part of white space, and no half of a character', () => {
    expect(expectParts(`${' '.repeat(5000)}word${'\n'.repeat(5000)}`)).toEqual(['word'])
    expectParts('\ud800'.repeat(2500))
    expectParts('x'.repeat(1999) + '😀'.repeat(3))
  })

  it('loses nothing of any text', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('. ', '\n\n', '。', ' ', '\ud83d', '👩‍👩‍👧', 'word'),
    )
    const text = fc.tuple(fc.array(piece, { maxLength: 12 }), fc.integer({ min: 1, max: 150 }))
    fc.assert(
      fc.property(text, ([pieces, times]) => {
        const text = pieces.join('').repeat(times)
        if (text.trim() !== '') expectParts(text)
      }),
      { numRuns: 40 },
    )
  })
})

describe('joinAudio', () => {
  const sampleRate = 24_000
  const secondsEach = [0.5, 1.25, 0.8]

  async function addresses(open: () => Encoder | Promise<Encoder>): Promise<string[]> {
    const urls: string[] = []
    for (const seconds of secondsEach) {
      const encoder = await open()
      const body = encoder.append(toInt16(tone({ hz: 440, seconds, sampleRate }).samples))
      const { head, tail } = encoder.finish()
      urls.push(URL.createObjectURL(new Blob([Buffer.concat([head, body, tail])])))
    }
    return urls
  }
  const heard = async (blob: Blob) => (await decode(await blob.bytes(), limits)).pcm.samples

  it('joins wav files sample by sample', async () => {
    const urls = await addresses(() => createWavEncoder({ sampleRate }))
    const samples = await heard(await joinAudio(urls, 'wav'))
    expect(samples.length).toBe(Math.round(2.55 * sampleRate))
    for (const at of [0.2, 1, 2.2]) expect(loudness(samples, at)).toBeCloseTo(0.5, 1)
  })

  it('joins mp3 files with no more than a breath between them', async () => {
    const urls = await addresses(() => createMp3Encoder({ sampleRate, bitrateKbps: mp3BitrateKbps(sampleRate) }))
    const samples = await heard(await joinAudio(urls, 'mp3'))
    const seconds = samples.length / sampleRate
    expect(seconds).toBeGreaterThan(2.55)
    expect(seconds).toBeLessThan(2.55 + 3 * 0.1)
    for (const at of [0.2, 1, 2.2]) expect(loudness(samples, at)).toBeCloseTo(0.5, 1)
  })

  it('fails for a part that cannot be fetched', async () => {
    const [first] = await addresses(() => createWavEncoder({ sampleRate }))
    expect(joinAudio([first!, 'blob:nothing'], 'wav')).rejects.toThrow()
  })

  /** The largest sample in the 50 ms after `at` seconds. */
  function loudness(samples: Float32Array, at: number): number {
    return Math.max(...samples.subarray(at * sampleRate, (at + 0.05) * sampleRate))
  }
})
