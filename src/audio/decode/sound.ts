/** Common types of all formats: the header of a recording and the output of a codec. */
import { BadAudio } from './bad-audio'

export type AudioKind = 'wav' | 'mp3' | 'flac' | 'm4a' | 'aac' | 'ogg-vorbis' | 'ogg-opus' | 'ogg-flac'

export type Probe = {
  readonly kind: AudioKind
  /** Hz. AAC output may have twice this rate: implicit SBR is not announced. */
  readonly sampleRate: number
  readonly channels: number
  /** From the headers and the bytes present, without codec padding where the file gives it; null when unknown. */
  readonly durationSeconds: number | null
  /**
   * Whether `durationSeconds` counts samples. ADTS and MP3 without a LAME tag count frames, whose padding is unknown.
   */
  readonly durationExact: boolean
}

/** A piece of decoded sound: one array per channel, equally long; −1…1 unless damaged. */
export type Chunk = {
  readonly channelData: readonly Float32Array[]
  /** Hz. */
  readonly sampleRate: number
  /** Frames that the codec could not decode. */
  readonly damagedFrames: number
}

const sampleRateMin = 4000
const sampleRateMax = 384_000

/** Throws `corrupt` for impossible headers. A limit in seconds would not bound memory at 4 GHz. */
export function checkFormat({ sampleRate, channels }: { sampleRate: number; channels: number }): void {
  if (!(sampleRate >= sampleRateMin && sampleRate <= sampleRateMax)) {
    throw new BadAudio(
      'corrupt',
      `The file declares a sample rate of ${sampleRate} Hz; ${sampleRateMin} to ${sampleRateMax} Hz are allowed.`,
    )
  }
  if (channels < 1) throw new BadAudio('corrupt', 'The file declares no channels.')
}
