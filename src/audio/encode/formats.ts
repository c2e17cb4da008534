/** The encoder and the sample rate of each coded format. An encoder is loaded on its first use, except that of MP3. */
import type { AudioFormat, CodedFormat, Encoder } from './encoder'
import { createMp3Encoder, mp3BitrateKbps, mp3SampleRate } from './mp3'
import { aacSampleRates, opusSampleRates } from './sample-rates'

/** Sample rate of WAV output, Hz; part of the API. */
const wavSampleRate = 44_100

/** The rate in Hz at which sound of `sampleRate` is encoded: the same where the format has it. */
export function encodingSampleRate(format: AudioFormat, sampleRate: number): number {
  switch (format) {
    case 'wav':
      return wavSampleRate
    case 'mp3':
      return mp3SampleRate(sampleRate)
    case 'opus':
      return opusSampleRates.find((rate) => rate >= sampleRate) ?? 48_000
    case 'flac':
      return sampleRate
    case 'aac':
      return aacSampleRates.includes(sampleRate) ? sampleRate : 44_100
  }
}

/** Throws `RangeError` when the format does not have the sample rate (Hz). */
export async function createEncoder(format: CodedFormat, sampleRate: number): Promise<Encoder> {
  switch (format) {
    case 'mp3':
      return createMp3Encoder({ sampleRate, bitrateKbps: mp3BitrateKbps(sampleRate) })
    case 'opus':
      return (await import('./opus')).createOpusEncoder({ sampleRate })
    case 'flac':
      return (await import('./flac')).createFlacEncoder({ sampleRate })
    case 'aac':
      return (await import('./aac')).createAacEncoder({ sampleRate })
  }
}
