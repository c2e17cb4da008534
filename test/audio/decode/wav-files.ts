/** Writes WAV files of every kind. */

export type WavContent = {
  format: 'pcm' | 'float' | 'alaw' | 'mulaw'
  bits: number
  sampleRate: number
  /** −1…1, equally long. */
  channelData: ArrayLike<number>[]
}

export type WavForm = {
  id?: 'RIFF' | 'RF64' | 'BW64'
  /** WAVE_FORMAT_EXTENSIBLE, with a GUID for the format. */
  extensible?: boolean
  /** Chunks before "data", after "fmt ". */
  before?: [id: string, body: Uint8Array][]
  after?: [id: string, body: Uint8Array][]
  /** Declared length of the data chunk, true or false. */
  dataBytes?: number
}

const tags = { pcm: 1, float: 3, alaw: 6, mulaw: 7 }

export function wavFile(content: WavContent, form: WavForm = {}): Uint8Array<ArrayBuffer> {
  const data = encode(content)
  const is64 = form.id === 'RF64' || form.id === 'BW64'
  const parts = [
    ...(is64 ? [chunk('ds64', longLengths(data.length))] : []),
    chunk('fmt ', formatBody(content, form.extensible ?? false)),
    ...(form.before ?? []).map(([id, body]) => chunk(id, body)),
    chunk('data', data, form.dataBytes ?? (is64 ? 0xffff_ffff : data.length)),
    ...(form.after ?? []).map(([id, body]) => chunk(id, body)),
  ]
  const body = Buffer.concat([Buffer.from('WAVE'), ...parts])
  const head = Buffer.alloc(8)
  head.write(form.id ?? 'RIFF')
  head.writeUInt32LE(is64 ? 0xffff_ffff : body.length, 4)
  return new Uint8Array(Buffer.concat([head, body]))
}

function chunk(id: string, body: Uint8Array, lengthBytes = body.length): Buffer {
  const head = Buffer.alloc(8)
  head.write(id)
  head.writeUInt32LE(lengthBytes, 4)
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)])
}

function longLengths(dataBytes: number): Buffer {
  const body = Buffer.alloc(28)
  body.writeBigUInt64LE(BigInt(dataBytes), 8)
  return body
}

function formatBody({ format, bits, sampleRate, channelData }: WavContent, extensible: boolean): Buffer {
  const body = Buffer.alloc(extensible ? 40 : 16)
  const frameBytes = channelData.length * Math.ceil(bits / 8)
  body.writeUInt16LE(extensible ? 0xfffe : tags[format], 0)
  body.writeUInt16LE(channelData.length, 2)
  body.writeUInt32LE(sampleRate, 4)
  body.writeUInt32LE(sampleRate * frameBytes, 8)
  body.writeUInt16LE(frameBytes, 12)
  body.writeUInt16LE(bits, 14)
  if (extensible) {
    body.writeUInt16LE(22, 16)
    body.writeUInt16LE(bits, 18)
    body.writeUInt16LE(tags[format], 24)
    body.write('000000001000800000aa00389b71', 26, 'hex')
  }
  return body
}

function encode({ format, bits, channelData }: WavContent): Buffer {
  const frames = channelData[0]!.length
  const sampleBytes = Math.ceil(bits / 8)
  const data = Buffer.alloc(frames * channelData.length * sampleBytes)
  let at = 0
  for (let i = 0; i < frames; i++) {
    for (const samples of channelData) {
      write(data, at, samples[i]!, { format, bits })
      at += sampleBytes
    }
  }
  return data
}

function write(data: Buffer, at: number, value: number, { format, bits }: Pick<WavContent, 'format' | 'bits'>): void {
  if (format === 'float' && bits === 64) data.writeDoubleLE(value, at)
  else if (format === 'float') data.writeFloatLE(value, at)
  else if (format === 'alaw') data.writeUInt8(toAlaw(value), at)
  else if (format === 'mulaw') data.writeUInt8(toMulaw(value), at)
  else {
    const whole = Math.max(-(2 ** (bits - 1)), Math.min(2 ** (bits - 1) - 1, Math.round(value * 2 ** (bits - 1))))
    // Samples with fewer bits occupy the upper ones.
    const bytes = Math.ceil(bits / 8)
    const placed = whole * 2 ** (bytes * 8 - bits)
    if (bytes === 1) data.writeUInt8(placed + 128, at)
    else data.writeIntLE(placed, at, bytes)
  }
}

/** ITU-T G.711: sign, exponent and mantissa of a 12-bit magnitude; every second bit inverted. */
function toAlaw(value: number): number {
  const magnitude = Math.min(4095, Math.abs(value) * 4096)
  const exponent = magnitude < 32 ? 0 : Math.floor(Math.log2(magnitude)) - 4
  const mantissa = Math.floor(magnitude / 2 ** Math.max(1, exponent)) & 15
  return ((value >= 0 ? 0x80 : 0) | (exponent << 4) | mantissa) ^ 0x55
}

/** ITU-T G.711: the same of 13 bits with a bias of 33; all bits inverted. */
function toMulaw(value: number): number {
  const magnitude = Math.min(8158, Math.abs(value) * 8192) + 33
  const exponent = Math.floor(Math.log2(magnitude)) - 5
  const mantissa = Math.floor(magnitude / 2 ** (exponent + 1)) & 15
  return ~((value < 0 ? 0x80 : 0) | (exponent << 4) | mantissa) & 255
}
