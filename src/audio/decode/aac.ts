/**
 * AAC (ISO/IEC 14496-3: LC, HE and HEv2) from either of its containers. FAAD2 as WebAssembly decodes it frame by frame.
 * Both containers hold or imply an AudioSpecificConfig.
 */
import { BadAudio } from './bad-audio'
import { uint16 } from './bytes'
import { callCodec } from './codec'
import { checkFormat, type Chunk } from './sound'

export const frameSamples = 1024
export const aacSampleRates = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350,
]
/** Channels by channelConfiguration; 0 means that the stream describes its channels itself. */
const channelCounts = [0, 1, 2, 3, 4, 5, 6, 8]

/** Delay of the SBR filter bank, in output samples. */
const sbrDelaySamples = 962
/** FAAD2 takes half a millisecond to refuse a frame, so the decoder gives up after so many in a row. */
const damagedInRowMax = 256

/** Object types that FAAD2 decodes: Main, LC, LTP, and the error-resilient LC, LTP and LD. */
const plainObjectTypes = [1, 2, 4]
const resilientObjectTypes = [17, 19, 23]
/** SBR without and with parametric stereo: HE-AAC and HEv2. */
const sbr = 5
const parametricStereo = 29
const syncExtension = 0x2b7
/**
 * The config extension that says "no SBR". Without it FAAD2 doubles the output rate up to 24 kHz in case of implicit
 * SBR. With it FAAD2 doubles the rate only when SBR occurs.
 */
const noSbr = [0x56, 0xe5, 0x00]

export type AacConfig = {
  /** The config for FAAD2. */
  readonly bytes: Uint8Array
  /** Rate of the AAC core, Hz: 1024 samples a frame. SBR doubles the output rate. */
  readonly coreRate: number
  /** Rate announced by the config, Hz; implicit SBR is not announced. */
  readonly sampleRate: number
  readonly channels: number
}

/** The audible part of the coded sound. With `durationSeconds` null it lasts to the end. */
export type Span = {
  readonly startSeconds: number
  readonly durationSeconds: number | null
  /** Whether `durationSeconds` is exact to the sample. */
  readonly exact: boolean
}

/** Parses an AudioSpecificConfig. Throws `corrupt` and `unsupported`. */
export function readAacConfig(bytes: Uint8Array): AacConfig {
  const head = uint16(bytes, 0)
  const objectType = head >> 11
  const isSbr = objectType === sbr || objectType === parametricStereo
  if (![...plainObjectTypes, ...resilientObjectTypes].includes(objectType) && !isSbr) {
    // 31 escapes to a six-bit number.
    const number = objectType === 31 ? 32 + ((head >> 5) & 63) : objectType
    throw new BadAudio('unsupported', `The file holds MPEG-4 audio of type ${number}; Sonant reads AAC-LC and HE-AAC.`)
  }
  const coreRate = aacSampleRates[(head >> 7) & 15]
  if (!coreRate) throw new BadAudio('corrupt', 'The AAC in the file has an invalid sample rate.')
  const channels = channelCounts[(head >> 3) & 15]
  if (!channels)
    throw new BadAudio(
      'unsupported',
      'The AAC in the file has a custom channel layout; Sonant reads the standard ones.',
    )

  const announcedRate = isSbr ? aacSampleRates[(uint16(bytes, 1) >> 7) & 15] : undefined
  const sampleRate = announcedRate ?? coreRate
  checkFormat({ sampleRate, channels })
  return { bytes: forFaad(bytes, objectType), coreRate, sampleRate, channels }
}

/** The same configuration, rewritten so that FAAD2 accepts it. */
function forFaad(bytes: Uint8Array, objectType: number): Uint8Array {
  if (objectType === parametricStereo) {
    // This build refuses the PS object type. Declared as plain SBR, it decodes the mono downmix.
    const asSbr = Uint8Array.from(bytes)
    asSbr[0] = (sbr << 3) | (bytes[0]! & 7)
    return asSbr
  }
  // The last two bits of a plain GASpecificConfig signal dependsOnCoreCoder and an extension.
  const isPlain = plainObjectTypes.includes(objectType) && (bytes[1]! & 3) === 0
  const isExtended = bytes.length > 3 && uint16(bytes, 2) >> 5 === syncExtension
  return isPlain && !isExtended ? Uint8Array.of(bytes[0]!, bytes[1]!, ...noSbr) : bytes
}

/** Duration of so many frames. The first gives no output: it is half of an overlap. */
export function decodedSeconds({ coreRate }: AacConfig, frames: number): number {
  return (Math.max(0, frames - 1) * frameSamples) / coreRate
}

/** Decodes raw frames without headers. Yields one chunk per frame. */
export async function* decodeAac(
  config: AacConfig,
  frames: Iterable<Uint8Array>,
  span: Span | null,
): AsyncGenerator<Chunk> {
  const { decoder } = await import('@audio/decode-aac')
  const faad = await callCodec(() => decoder({ asc: config.bytes }))
  const cut = createCut(config, span)
  let isFirst = true
  let damagedInRow = 0
  try {
    for (const frame of frames) {
      const { channelData, sampleRate } = await callCodec(() => faad.decode(frame))
      const isDamaged = channelData.length === 0 && !isFirst
      isFirst = false
      damagedInRow = isDamaged ? damagedInRow + 1 : 0
      if (damagedInRow === damagedInRowMax) {
        throw new BadAudio('corrupt', `The AAC data is damaged: ${damagedInRowMax} frames in a row cannot be decoded.`)
      }
      yield { channelData: cut(channelData, sampleRate), sampleRate, damagedFrames: isDamaged ? 1 : 0 }
    }
  } finally {
    faad.free()
  }
}

/** Trims the output to the span. */
function createCut({ coreRate }: AacConfig, span: Span | null) {
  if (!span) return (channelData: Float32Array[]) => channelData
  let skip: number | null = null
  let left = Infinity
  return (channelData: Float32Array[], sampleRate: number) => {
    const length = channelData[0]?.length ?? 0
    if (length === 0) return channelData
    if (skip === null) {
      const hasSbr = sampleRate > coreRate
      // The output starts with the second frame.
      const alreadyGone = hasSbr ? 2 * frameSamples - sbrDelaySamples : frameSamples
      skip = Math.max(0, Math.round(span.startSeconds * sampleRate) - alreadyGone)
      if (span.durationSeconds !== null) left = Math.round(span.durationSeconds * sampleRate)
    }
    const from = Math.min(length, skip)
    const to = Math.min(length, from + left)
    skip -= from
    left -= to - from
    return channelData.map((samples) => samples.subarray(from, to))
  }
}
