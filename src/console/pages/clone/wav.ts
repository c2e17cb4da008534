/** Writes WAV files: PCM, 16 bit, mono. */

const headBytes = 44

/** `samples`: −1 to 1; beyond that they are cut off. */
export function writeWav(samples: Float32Array, sampleRate: number): Blob {
  const view = new DataView(new ArrayBuffer(headBytes + 2 * samples.length))
  const text = (at: number, value: string) => {
    for (let i = 0; i < value.length; i++) view.setUint8(at + i, value.charCodeAt(i))
  }
  text(0, 'RIFF')
  view.setUint32(4, view.byteLength - 8, true)
  text(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, 1, true)
  view.setUint32(24, sampleRate, true)
  view.setUint32(28, 2 * sampleRate, true)
  view.setUint16(32, 2, true)
  view.setUint16(34, 16, true)
  text(36, 'data')
  view.setUint32(40, 2 * samples.length, true)
  for (let i = 0; i < samples.length; i++) {
    const value = Math.max(-1, Math.min(1, samples[i]!))
    view.setInt16(headBytes + 2 * i, Math.round(value * (value < 0 ? 0x8000 : 0x7fff)), true)
  }
  return new Blob([view.buffer], { type: 'audio/wav' })
}
