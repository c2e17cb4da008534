/** Records with the microphone: which one, how loud it is, and how much time is left. */
import { useSignal, type ReadonlySignal } from '@preact/signals'
import { Mic, Square } from 'lucide'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../parts/button'
import { Bar } from '../../parts/figures'
import { SelectField } from '../../parts/form'
import { words } from '../../words/words'
import {
  hasMicrophoneAccess,
  listDevices,
  MicrophoneError,
  openMicrophone,
  type Device,
  type Microphone,
  type MicrophoneFault,
} from './microphone'
import { recordingOf, secondsMax, secondsMin, type Recording } from './recording'

type Props = {
  /** Whether the microphone was used before: it is then opened at once. */
  readonly opensItself: boolean
  readonly onRecorded: (recording: Recording) => void
}

export function Record({ opensItself, onRecorded }: Props) {
  const { clone } = words.value
  const recorder = useRecorder(onRecorded)
  const { state, open } = recorder
  useEffect(() => {
    if (opensItself) void open()
  }, [])
  if (!hasMicrophoneAccess()) return <Fault of="insecure" />
  if (state.kind !== 'on')
    return (
      <div class="choice">
        {state.kind === 'off' && state.fault && <Fault of={state.fault} />}
        <p class="faint">{clone.microphoneText}</p>
        <Button icon={Mic} isBusy={state.kind === 'opening'} onClick={() => void open()}>
          {clone.turnOn}
        </Button>
      </div>
    )
  return <Recorder {...recorder} devices={state.devices} deviceId={state.microphone.deviceId} />
}

function Fault({ of }: { readonly of: MicrophoneFault }) {
  return (
    <p class="note warn" role="alert">
      {words.value.clone.microphoneFaults[of]}
    </p>
  )
}

type RecorderProps = Omit<ReturnType<typeof useRecorder>, 'state'> & {
  readonly devices: readonly Device[]
  readonly deviceId: string
}

function Recorder({ devices, deviceId, open, level, seconds, isRecording, isShort, begin, stop }: RecorderProps) {
  const { clone } = words.value
  return (
    <div class="recorder">
      <SelectField
        label={clone.device}
        name="device"
        value={deviceId}
        disabled={isRecording}
        onValue={(id) => void open(id)}
        options={devices.map(({ id, name }) => ({ value: id, label: name }))}
      />
      <Level of={level} />
      <blockquote>
        <p class="small faint">{clone.readAloud}</p>
        <p>{clone.textToRead}</p>
      </blockquote>
      {isShort && (
        <p class="below bad" role="alert">
          {clone.faults.tooShort}
        </p>
      )}
      <div class="row">
        {isRecording ? (
          <Button kind="danger" icon={Square} onClick={stop}>
            {clone.stop}
          </Button>
        ) : (
          <Button icon={Mic} onClick={begin}>
            {clone.record}
          </Button>
        )}
        {isRecording && <Countdown seconds={seconds} />}
      </div>
    </div>
  )
}

/** Decibels below full scale at which the display begins. */
const floorDb = 60

function Level({ of }: { readonly of: ReadonlySignal<number> }) {
  const { clone } = words.value
  const db = 20 * Math.log10(Math.max(of.value, 1e-6))
  const tone = db > -1 ? 'bad' : db > -40 ? 'good' : 'plain'
  return (
    <div class="level">
      <span class="small faint">{clone.level}</span>
      <Bar label={clone.level} value={Math.max(0, db + floorDb)} max={floorDb} tone={tone} />
      <span class="small faint">{db > -1 ? clone.tooLoud : ''}</span>
    </div>
  )
}

function Countdown({ seconds }: { readonly seconds: ReadonlySignal<number> }) {
  const left = Math.max(0, secondsMax - seconds.value)
  return (
    <span class="countdown" role="timer">
      <span class="dot" aria-hidden="true" />
      {words.value.clone.left(left.toFixed(1))}
    </span>
  )
}

type State =
  | { readonly kind: 'off'; readonly fault?: MicrophoneFault }
  | { readonly kind: 'opening' }
  | { readonly kind: 'on'; readonly microphone: Microphone; readonly devices: readonly Device[] }

/** The part of the shown level that stays from one block to the next. */
const fade = 0.8

function useRecorder(onRecorded: (recording: Recording) => void) {
  /** The microphone outlives the rendering that opened it. */
  const latest = useRef(onRecorded)
  latest.current = onRecorded
  const [state, setState] = useState<State>({ kind: 'off' })
  const [isRecording, setRecording] = useState(false)
  const [isShort, setShort] = useState(false)
  const level = useSignal(0)
  const seconds = useSignal(0)
  const microphone = useRef<Microphone>(undefined)
  const blocks = useRef<Float32Array[]>(undefined)
  const isGone = useRef(false)

  function close(): void {
    microphone.current?.close()
    microphone.current = undefined
    blocks.current = undefined
    setRecording(false)
  }
  useEffect(
    () => () => {
      isGone.current = true
      microphone.current?.close()
    },
    [],
  )

  async function open(deviceId?: string): Promise<void> {
    close()
    setState({ kind: 'opening' })
    try {
      const opened = await openMicrophone({
        deviceId,
        onBlock: take,
        onLost() {
          close()
          setState({ kind: 'off', fault: 'lost' })
        },
      })
      if (isGone.current) return opened.close()
      microphone.current = opened
      setState({ kind: 'on', microphone: opened, devices: await listDevices() })
    } catch (error) {
      if (!isGone.current) setState({ kind: 'off', fault: error instanceof MicrophoneError ? error.fault : 'busy' })
    }
  }

  function take(block: Float32Array): void {
    const peak = block.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
    level.value = Math.max(peak, level.peek() * fade)
    if (!blocks.current || !microphone.current) return
    blocks.current.push(block)
    seconds.value += block.length / microphone.current.sampleRate
    if (seconds.peek() >= secondsMax) stop()
  }

  function begin(): void {
    blocks.current = []
    seconds.value = 0
    setShort(false)
    setRecording(true)
  }

  function stop(): void {
    const { sampleRate } = microphone.current!
    const samples = concatenate(blocks.current!).subarray(0, secondsMax * sampleRate)
    blocks.current = undefined
    setRecording(false)
    if (samples.length < secondsMin * sampleRate) return setShort(true)
    close()
    latest.current(recordingOf(samples, sampleRate, words.peek().clone.recordedName))
  }

  return { state, open, level, seconds, isRecording, isShort, begin, stop }
}

function concatenate(blocks: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(blocks.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const block of blocks) {
    all.set(block, at)
    at += block.length
  }
  return all
}
