/** The recording that was chosen: decoded where the browser can, checked, and cut to what the service takes. */
import { peaksOf } from '../../parts/peaks'
import { hearFaults, type HeardFault } from './hearing'
import { writeWav } from './wav'

/** The bounds of the service for a recording. */
export const sizeBytesMax = 15 * 1024 * 1024
export const secondsMax = 15
export const secondsMin = 1
/** Longer files are not decoded: minutes of sound take hundreds of megabytes. */
const decodedSecondsMax = 600
const decodedBytesMax = 200e6
/** A browser may wait for ever for the head of a file that has none. */
const readingMsMax = 5000
/** Below this peak there is only the noise of the converter. */
const silentPeak = 0.001

type Decoded = {
  readonly samples: Float32Array
  readonly sampleRate: number
  readonly seconds: number
  readonly peaks: Float32Array
}

export type Recording = {
  readonly file: Blob
  readonly name: string
  /** Undefined: this browser cannot decode the file. */
  readonly sound: Decoded | undefined
  readonly fault: RecordingFault | undefined
}

export type RecordingFault = 'tooLarge' | 'tooLong' | 'tooShort' | 'silent'

export async function readRecording(file: Blob, name: string): Promise<Recording> {
  const isLarge = file.size > sizeBytesMax
  const refuse = (fault: RecordingFault) => ({ file, name, sound: undefined, fault })
  if (file.size > decodedBytesMax) return refuse('tooLarge')
  const seconds = await lengthOf(file)
  if (seconds !== undefined && seconds > decodedSecondsMax) return refuse('tooLong')
  const sound = await decode(file)
  if (!sound) return isLarge ? refuse('tooLarge') : { file, name, sound, fault: undefined }
  return { file, name, sound, fault: faultOf(sound) }
}

export function recordingOf(samples: Float32Array, sampleRate: number, name: string): Recording {
  const sound = describe(samples, sampleRate)
  return { file: writeWav(samples, sampleRate), name, sound, fault: faultOf(sound) }
}

function faultOf({ seconds, samples }: Decoded): RecordingFault | undefined {
  if (seconds < secondsMin) return 'tooShort'
  return samples.some((value) => Math.abs(value) > silentPeak) ? undefined : 'silent'
}

/** Whether only a part of the recording can be sent. */
export const isTooMuch = ({ file, sound }: Recording): boolean =>
  sound !== undefined && (sound.seconds > secondsMax || file.size > sizeBytesMax)

/** The bytes to send: the file as it is, or `secondsMax` of it from `startSeconds` on. */
export function partOf(recording: Recording, startSeconds: number): Blob {
  const { file, sound } = recording
  if (!sound || !isTooMuch(recording)) return file
  return writeWav(samplesFrom(sound, startSeconds), sound.sampleRate)
}

function samplesFrom({ samples, sampleRate }: Decoded, startSeconds: number): Float32Array {
  const first = Math.floor(startSeconds * sampleRate)
  return samples.subarray(first, first + secondsMax * sampleRate)
}

/** The faults of that part that the browser hears; none where it cannot decode the file. */
export const faultsOf = ({ sound, fault }: Recording, startSeconds: number): readonly HeardFault[] =>
  sound && !fault ? hearFaults(samplesFrom(sound, startSeconds), sound.sampleRate) : []

/** The length that the head of the file says; undefined where the browser does not know the format. */
function lengthOf(file: Blob): Promise<number | undefined> {
  const url = URL.createObjectURL(file)
  const audio = new Audio()
  return new Promise<number | undefined>((resolve) => {
    audio.onloadedmetadata = () => resolve(Number.isFinite(audio.duration) ? audio.duration : undefined)
    audio.onerror = () => resolve(undefined)
    setTimeout(() => resolve(undefined), readingMsMax)
    audio.preload = 'metadata'
    audio.src = url
  }).finally(() => URL.revokeObjectURL(url))
}

const decodingSampleRate = 44_100

async function decode(file: Blob): Promise<Decoded | undefined> {
  // An offline context works before the person has clicked anything.
  const context = new OfflineAudioContext(1, 1, decodingSampleRate)
  const buffer = await context.decodeAudioData(await file.arrayBuffer()).catch(() => undefined)
  if (!buffer || buffer.length === 0) return undefined
  const samples = new Float32Array(buffer.length)
  for (let channel = 0; channel < buffer.numberOfChannels; channel++) {
    const values = buffer.getChannelData(channel)
    for (let i = 0; i < samples.length; i++) samples[i]! += values[i]! / buffer.numberOfChannels
  }
  return describe(samples, buffer.sampleRate)
}

const describe = (samples: Float32Array, sampleRate: number): Decoded => ({
  samples,
  sampleRate,
  seconds: samples.length / sampleRate,
  peaks: peaksOf(samples, sampleRate),
})

/** SHA-256 in hexadecimal; undefined where the browser computes none: on pages over plain HTTP. */
export async function hashOf(file: Blob): Promise<string | undefined> {
  if (!crypto.subtle) return undefined
  const digest = await crypto.subtle.digest('SHA-256', await file.arrayBuffer())
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
