/** The microphone: sound as it comes, mono, at the rate of the device. */
import worklet from './capture.worklet.js' with { type: 'file' }

/** Why there is no microphone. `insecure`: the browser gives it to https and localhost only. */
export type MicrophoneFault = 'insecure' | 'refused' | 'missing' | 'busy' | 'lost'

export class MicrophoneError extends Error {
  constructor(readonly fault: MicrophoneFault) {
    super(fault)
  }
}

export type Device = { readonly id: string; readonly name: string }

export type Microphone = {
  readonly deviceId: string
  /** Hz. */
  readonly sampleRate: number
  close(): void
}

type Options = {
  /** Undefined: the one that the browser prefers. */
  readonly deviceId: string | undefined
  readonly onBlock: (samples: Float32Array) => void
  /** The device was unplugged, or the permission taken back. */
  readonly onLost: () => void
}

export const hasMicrophoneAccess = (): boolean => isSecureContext && navigator.mediaDevices !== undefined

/** Asks for the permission where it is not given yet. Throws {@link MicrophoneError}. */
export async function openMicrophone({ deviceId, onBlock, onLost }: Options): Promise<Microphone> {
  if (!hasMicrophoneAccess()) throw new MicrophoneError('insecure')
  const stream = await askFor(deviceId)
  const [track] = stream.getAudioTracks() as [MediaStreamTrack]
  const settings = track.getSettings()
  const context = openContext(settings.sampleRate)
  const close = () => {
    track.onended = null
    track.stop()
    void context.close()
  }
  try {
    await context.audioWorklet.addModule(new URL(worklet, document.baseURI))
    const capture = new AudioWorkletNode(context, 'capture', { channelCount: 1, channelCountMode: 'explicit' })
    capture.port.onmessage = ({ data }: MessageEvent<Float32Array>) => onBlock(data)
    // A node runs only on the way to the loudspeaker; this one stays silent there.
    context.createMediaStreamSource(stream).connect(capture).connect(context.destination)
    await context.resume()
  } catch (error) {
    close()
    throw error
  }
  track.onended = () => {
    close()
    onLost()
  }
  return { deviceId: settings.deviceId ?? '', sampleRate: context.sampleRate, close }
}

/** Some browsers do not say the rate of the device, and some take no other than their own. */
function openContext(sampleRate: number | undefined): AudioContext {
  try {
    return new AudioContext(sampleRate ? { sampleRate } : {})
  } catch {
    return new AudioContext()
  }
}

async function askFor(deviceId: string | undefined): Promise<MediaStream> {
  // Processing for calls changes the voice, and the clone would have the changed one.
  const plain = { echoCancellation: false, noiseSuppression: false, channelCount: 1 }
  try {
    return await navigator.mediaDevices.getUserMedia({
      audio: deviceId === undefined ? plain : { ...plain, deviceId: { exact: deviceId } },
    })
  } catch (error) {
    const { name } = error as DOMException
    if (name === 'NotAllowedError' || name === 'SecurityError') throw new MicrophoneError('refused')
    throw new MicrophoneError(name === 'NotFoundError' || name === 'OverconstrainedError' ? 'missing' : 'busy')
  }
}

/** The microphones of this computer; their names are known once the permission is given. */
export async function listDevices(): Promise<Device[]> {
  const devices = await navigator.mediaDevices.enumerateDevices()
  return devices
    .filter(({ kind, deviceId }) => kind === 'audioinput' && deviceId !== '')
    .map(({ deviceId: id, label }, i) => ({ id, name: label || `${i + 1}` }))
}
