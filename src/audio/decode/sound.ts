/** What a header says of a recording, and what comes out of a codec, the same for every format. */
import { BadAudio } from './bad-audio'

export type AudioKind = 'wav' | 'mp3' | 'flac' | 'm4a' | 'aac' | 'ogg-vorbis' | 'ogg-opus' | 'ogg-flac'

export type Probe = {
  readonly kind: AudioKind
  /** Hz. AAC may come out at twice this rate: SBR need not be announced. */
  readonly sampleRate: number
  readonly channels: number
  /** From the headers and the bytes present, with codec padding taken off where the file tells of it; null when it does not say. */
  readonly durationSeconds: number | null
  /** Whether `durationSeconds` counts samples. ADTS and MP3 without a LAME tag count frames, whose padding is unknown. */
  readonly durationExact: boolean
}

/** A stretch of sound as a codec gives it out: one array per channel, equally long; −1…1 unless something is wrong. */
export type Chunk = {
  readonly channelData: readonly Float32Array[]
  /** Hz. */
  readonly sampleRate: number
  /** Frames of the codec that it could not make anything of. */
  readonly damagedFrames: number
}

const sampleRateMin = 4000
const sampleRateMax = 384_000

/** Throws `corrupt` where a header says what no recording is; a limit in seconds would hold nothing back at 4 GHz. */
export function checkFormat({ sampleRate, channels }: { sampleRate: number; channels: number }): void {
  if (!(sampleRate >= sampleRateMin && sampleRate <= sampleRateMax)) {
    throw new BadAudio(
      'corrupt',
      `The file says that its sample rate is ${sampleRate} Hz; ${sampleRateMin} to ${sampleRateMax} Hz are possible.`,
    )
  }
  if (channels < 1) throw new BadAudio('corrupt', 'The file says that it has no channels.')
}
