/** Where the recording comes from: the microphone, a file, or an address. */
import { FileAudio, Upload } from 'lucide'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useQuery } from '../../client/query'
import { Button } from '../../parts/button'
import { TextField } from '../../parts/form'
import { Icon } from '../../parts/icon'
import { Segments } from '../../parts/segments'
import { Skeleton } from '../../parts/states'
import { words } from '../../words/words'
import { Chosen } from './chosen'
import { hasMicrophoneAccess } from './microphone'
import { Record } from './record'
import { readRecording, type Recording } from './recording'

const origins = ['microphone', 'file', 'address'] as const
type Origin = (typeof origins)[number]

export type Choice = {
  readonly origin: Origin
  readonly recording: Recording | undefined
  readonly part: Blob | undefined
  readonly startSeconds: number
  readonly url: string
}

type Props = {
  readonly choice: Choice
  readonly isDisabled: boolean
  readonly onRecording: (recording: Recording | undefined) => void
  readonly onStart: (seconds: number) => void
  readonly onUrl: (url: string) => void
  /** The sentence about a recording that cannot be used. */
  readonly fault: string | undefined
}

/** The origin stands in the address of the page. */
export function useOrigin(): [Origin, (origin: Origin) => void] {
  const [asked, setAsked] = useQuery('from')
  const origin = origins.find((each) => each === asked) ?? (hasMicrophoneAccess() ? 'microphone' : 'file')
  return [origin, setAsked]
}

export function Source({ choice, isDisabled, onRecording, onStart, onUrl, fault }: Props) {
  const { clone } = words.value
  const { origin, recording, part, startSeconds, url } = choice
  const [, setOrigin] = useOrigin()
  const [isReading, setReading] = useState(false)
  const [hasRecorded, setRecorded] = useState(false)

  /** The last file that was chosen counts. */
  const turn = useRef(0)

  async function readFile(file: File): Promise<void> {
    const mine = ++turn.current
    setOrigin('file')
    setReading(true)
    const read = await readRecording(file, file.name)
    if (mine !== turn.current) return
    onRecording(read)
    setReading(false)
  }
  const isOver = useDrop((file) => void (isDisabled || readFile(file)))

  return (
    <div class={isOver ? 'source is-over' : 'source'}>
      <Segments
        label={clone.origin}
        isLabelHidden
        name="origin"
        value={origin}
        options={origins.map((value) => ({ value, label: clone.origins[value] }))}
        onValue={(chosen) => {
          turn.current++
          setReading(false)
          setOrigin(chosen)
          onRecording(undefined)
        }}
      />
      {origin === 'address' ? (
        <TextField
          label={clone.url}
          name="url"
          type="url"
          placeholder={'https://'}
          hint={clone.urlHint}
          fault={fault}
          value={url}
          onValue={onUrl}
        />
      ) : isReading ? (
        <Skeleton />
      ) : recording && part ? (
        <Chosen
          {...{ recording, part, startSeconds, onStart }}
          again={origin === 'microphone' ? clone.recordAgain : clone.chooseAgain}
          onAgain={() => onRecording(undefined)}
        />
      ) : origin === 'microphone' ? (
        <Record
          opensItself={hasRecorded}
          onRecorded={(made) => {
            setRecorded(true)
            onRecording(made)
          }}
        />
      ) : (
        <FileChoice onFile={(file) => void readFile(file)} />
      )}
      {origin !== 'address' && fault && (
        <p class="below bad" role="alert">
          {fault}
        </p>
      )}
    </div>
  )
}

/** Some systems know no type for some of these names. */
const accepted = 'audio/*,.wav,.mp3,.flac,.m4a,.aac,.ogg,.oga,.opus'

function FileChoice({ onFile }: { readonly onFile: (file: File) => void }) {
  const { clone } = words.value
  const input = useRef<HTMLInputElement>(null)
  return (
    <div class="choice drop">
      <Icon of={FileAudio} sizePixels={32} />
      <p class="strong">{clone.drop}</p>
      <p class="small faint">{clone.formats}</p>
      <input
        ref={input}
        type="file"
        class="hidden"
        tabIndex={-1}
        accept={accepted}
        aria-label={clone.chooseFile}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? []
          if (file) onFile(file)
        }}
      />
      <Button icon={Upload} onClick={() => input.current?.click()}>
        {clone.chooseFile}
      </Button>
    </div>
  )
}

/** A file may be dropped anywhere on the page. Returns whether one is held over it. */
function useDrop(onFile: (file: File) => void): boolean {
  const [isOver, setOver] = useState(false)
  const act = useRef(onFile)
  act.current = onFile
  useEffect(() => {
    const hasFile = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') ?? false
    const over = (event: DragEvent) => {
      if (!hasFile(event)) return
      event.preventDefault()
      setOver(true)
    }
    const leave = ({ relatedTarget }: DragEvent) => {
      if (!relatedTarget) setOver(false)
    }
    const drop = (event: DragEvent) => {
      if (!hasFile(event)) return
      event.preventDefault()
      setOver(false)
      const [file] = event.dataTransfer!.files
      if (file) act.current(file)
    }
    addEventListener('dragover', over)
    addEventListener('dragleave', leave)
    addEventListener('drop', drop)
    return () => {
      removeEventListener('dragover', over)
      removeEventListener('dragleave', leave)
      removeEventListener('drop', drop)
    }
  }, [])
  return isOver
}
