import { describe, expect, it } from 'bun:test'
import { createWavEncoder } from '../../../src/audio/encode/wav'

describe('createWavEncoder', () => {
  it('writes the canonical header, byte by byte', () => {
    const encoder = createWavEncoder({ sampleRate: 22_050 })
    const body = encoder.append(Int16Array.of(0, 1, -1, 32_767, -32_768))
    const { tail, head } = encoder.finish()
    expect(Buffer.from(head).toString('hex')).toBe(
      // RIFF, 46 bytes follow, WAVE
      '52494646' +
        '2e000000' +
        '57415645' +
        // fmt, 16 bytes, PCM, 1 channel, 22050 Hz, 44100 bytes/s, 2 bytes a frame, 16 bits
        '666d7420' +
        '10000000' +
        '0100' +
        '0100' +
        '22560000' +
        '44ac0000' +
        '0200' +
        '1000' +
        // data, 10 bytes
        '64617461' +
        '0a000000',
    )
    expect(Buffer.from(body).toString('hex')).toBe('0000' + '0100' + 'ffff' + 'ff7f' + '0080')
    expect(tail.length).toBe(0)
    expect(head.length).toBe(encoder.headBytes)
  })

  it('counts all chunks', () => {
    const encoder = createWavEncoder({ sampleRate: 8000 })
    for (const length of [0, 1, 100, 70_000]) encoder.append(new Int16Array(length))
    const view = new DataView(encoder.finish().head.buffer)
    expect(view.getUint32(40, true)).toBe(2 * 70_101)
    expect(view.getUint32(4, true)).toBe(2 * 70_101 + 36)
  })

  it('is a valid file without a sample', () => {
    const view = new DataView(createWavEncoder({ sampleRate: 8000 }).finish().head.buffer)
    expect(view.getUint32(40, true)).toBe(0)
    expect(view.getUint32(4, true)).toBe(36)
  })

  it('returns bytes that do not change when the caller reuses its buffer', () => {
    const samples = Int16Array.of(5, 6)
    const body = createWavEncoder({ sampleRate: 8000 }).append(samples)
    samples.fill(0)
    expect([...body]).toEqual([5, 0, 6, 0])
  })
})
