/** Collects a codec's output: enforces the limits, repairs invalid samples, mixes to mono. */
import type { Pcm } from '../pcm'
import { BadAudio } from './bad-audio'
import type { Chunk } from './sound'

/** Lossy codecs overshoot full scale by a few dB. 12 dB above it is damage, and so is NaN. */
const magnitudeMax = 4
/** With a larger share of such samples the whole file counts as damaged. */
const repairedShareMax = 0.1

type Mix = {
  readonly pcm: Pcm
  readonly channels: number
  /** Whether all channels are equal; some codecs return mono files twice. */
  readonly alike: boolean
  readonly repairedSamples: number
  readonly damagedFrames: number
}

/**
 * `add` throws `too_long` and `too_many_channels`. `finish` throws `corrupt` without sound, or with too much damage.
 * Sound beyond full scale is attenuated as a whole, so nothing clips.
 */
export function createMixer({ secondsMax, channelsMax }: { secondsMax: number; channelsMax: number }) {
  const parts: Float32Array[] = []
  let sampleRate = 0
  let frames = 0
  let channels = 0
  let samplesTotal = 0
  let repairedSamples = 0
  let damagedFrames = 0
  let peak = 0
  let alike = true

  return {
    add(chunk: Chunk): void {
      damagedFrames += chunk.damagedFrames
      const { channelData } = chunk
      const length = channelData[0]?.length ?? 0
      if (length === 0) return
      if (frames === 0) sampleRate = chunk.sampleRate
      if (chunk.sampleRate !== sampleRate) {
        // Sound after a change of rate would play at the wrong speed.
        damagedFrames++
        return
      }
      frames += length
      channels = Math.max(channels, channelData.length)
      refuseChannels(channels, channelsMax)
      refuseDuration(frames / sampleRate, secondsMax)

      samplesTotal += length * channelData.length
      for (const samples of channelData) repairedSamples += repair(samples)
      alike &&= channelData.slice(1).every((samples) => areEqual(samples, channelData[0]!))
      const mono = average(channelData)
      peak = Math.max(peak, findPeak(mono))
      parts.push(mono)
    },

    finish(): Mix {
      if (frames === 0) throw new BadAudio('corrupt', 'The file holds no sound that can be decoded.')
      if (repairedSamples > repairedShareMax * samplesTotal) {
        throw new BadAudio(
          'corrupt',
          `The file is damaged: ${repairedSamples} of its ${samplesTotal} samples are not numbers or far beyond full scale.`,
        )
      }
      const samples = new Float32Array(frames)
      const gain = peak > 1 ? 1 / peak : 1
      let at = 0
      for (const part of parts) {
        samples.set(part, at)
        at += part.length
      }
      if (gain < 1) for (let i = 0; i < frames; i++) samples[i]! *= gain
      return { pcm: { samples, sampleRate }, channels, alike, repairedSamples, damagedFrames }
    },
  }
}

export function refuseChannels(channels: number, channelsMax: number): void {
  if (channels > channelsMax) {
    throw new BadAudio(
      'too_many_channels',
      `The recording has ${channels} channels; at most ${channelsMax} are allowed.`,
    )
  }
}

export function refuseDuration(durationSeconds: number, secondsMax: number): void {
  if (durationSeconds > secondsMax) {
    throw new BadAudio(
      'too_long',
      `The recording lasts at least ${durationSeconds.toFixed(2)} s; at most ${secondsMax} s are allowed.`,
    )
  }
}

/** Replaces NaN by silence and values far beyond full scale by full scale. Returns the number of repairs. */
function repair(samples: Float32Array): number {
  let repaired = 0
  for (let i = 0; i < samples.length; i++) {
    const value = samples[i]!
    if (Math.abs(value) <= magnitudeMax) continue
    samples[i] = value > 0 ? 1 : value < 0 ? -1 : 0
    repaired++
  }
  return repaired
}

function areEqual(a: Float32Array, b: Float32Array): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

function average(channelData: readonly Float32Array[]): Float32Array {
  const [first, ...others] = channelData
  if (others.length === 0) return first!
  const mono = first!.slice()
  for (const samples of others) {
    for (let i = 0; i < mono.length; i++) mono[i]! += samples[i]!
  }
  for (let i = 0; i < mono.length; i++) mono[i]! /= channelData.length
  return mono
}

function findPeak(samples: Float32Array): number {
  let peak = 0
  for (let i = 0; i < samples.length; i++) {
    const magnitude = Math.abs(samples[i]!)
    if (magnitude > peak) peak = magnitude
  }
  return peak
}
