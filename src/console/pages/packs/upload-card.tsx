/** Makes a pack of files that a person drops or chooses. */
import { FolderUp } from 'lucide'
import { useRef, useState } from 'preact/hooks'
import type { Schema } from '../../client/client'
import { upload } from '../../client/upload'
import { formatNumber, formatPercent, formatSize } from '../../format'
import { Button } from '../../parts/button'
import { Form, TextField } from '../../parts/form'
import { Icon } from '../../parts/icon'
import { Card } from '../../parts/page'
import { toast } from '../../parts/toast'
import { words } from '../../words/words'
import { filesDropped, filesOf, type ChosenFiles } from './chosen-files'

type Props = { readonly onUploaded: () => void }

export function UploadCard({ onUploaded }: Props) {
  const { packs } = words.value.administration
  const [chosen, setChosen] = useState<ChosenFiles | undefined>(undefined)
  const [isOver, setOver] = useState(false)

  function choose(files: ChosenFiles | undefined): void {
    if (files) setChosen(files)
    else toast(packs.noFiles, 'bad')
  }

  return (
    <Card title={packs.upload}>
      <p class="faint small">{packs.uploadText}</p>
      <div
        class={isOver ? 'drop-zone is-over' : 'drop-zone'}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault()
          setOver(false)
          if (event.dataTransfer) void filesDropped(event.dataTransfer.items).then(choose, () => choose(undefined))
        }}
      >
        {chosen ? (
          <Sending
            key={chosen.name}
            chosen={chosen}
            onUploaded={() => {
              setChosen(undefined)
              onUploaded()
            }}
            onClear={() => setChosen(undefined)}
          />
        ) : (
          <Choosing onChoose={choose} />
        )}
      </div>
    </Card>
  )
}

function Choosing({ onChoose }: { readonly onChoose: (files: ChosenFiles | undefined) => void }) {
  const { packs } = words.value.administration
  const folder = useRef<HTMLInputElement>(null)
  const files = useRef<HTMLInputElement>(null)
  const read = (event: { currentTarget: HTMLInputElement }) => {
    if (event.currentTarget.files?.length) onChoose(filesOf(event.currentTarget.files))
  }
  const takeFolder = (input: HTMLInputElement | null) => {
    folder.current = input
    if (input) input.webkitdirectory = true
  }
  const hidden = { type: 'file', multiple: true, hidden: true } as const
  return (
    <div class="drop-hint">
      <Icon of={FolderUp} sizePixels={32} />
      <p class="strong">{packs.drop}</p>
      <input {...hidden} ref={takeFolder} aria-label={packs.chooseFolder} onChange={read} />
      <input {...hidden} ref={files} aria-label={packs.chooseFiles} onChange={read} />
      <div class="actions">
        <Button onClick={() => folder.current?.click()}>{packs.chooseFolder}</Button>
        <Button onClick={() => files.current?.click()}>{packs.chooseFiles}</Button>
      </div>
    </div>
  )
}

/** As the service allows. */
const sizeBytesMax = 1_000 << 20
const namePattern = /^[A-Za-z0-9_][A-Za-z0-9_+-]{0,99}$/

type SendingProps = Props & { readonly chosen: ChosenFiles; readonly onClear: () => void }

function Sending({ chosen: { name: suggested, files, sizeBytes }, onUploaded, onClear }: SendingProps) {
  const { packs } = words.value.administration
  const [name, setName] = useState(suggested)
  const [ratio, setRatio] = useState<number | undefined>(undefined)
  const running = useRef<AbortController | undefined>(undefined)
  const hasModel = files.some(({ path }) => path.endsWith('.onnx'))
  const fault = !hasModel
    ? packs.noModel
    : sizeBytes > sizeBytesMax
      ? packs.tooLarge(formatSize(sizeBytes), formatSize(sizeBytesMax))
      : undefined
  const isNameWrong = name !== '' && !namePattern.test(name)

  async function send(): Promise<void> {
    const form = new FormData()
    for (const { path, file } of files) form.append('file', file, path)
    const controller = new AbortController()
    running.current = controller
    setRatio(0)
    try {
      const path = `/api/v1/admin/packs/upload?${new URLSearchParams({ name })}`
      await upload<Schema<'Pack'>>(path, form, { onProgress: setRatio, signal: controller.signal })
    } catch (error) {
      if (!controller.signal.aborted) throw error
      toast(packs.uploadCancelled)
      return
    } finally {
      setRatio(undefined)
    }
    toast(packs.uploaded(name))
    onUploaded()
  }

  return (
    <Form
      onSubmit={send}
      action={packs.uploadAction}
      fields={['name']}
      isDisabled={fault !== undefined || isNameWrong}
      onCancel={() => (ratio === undefined ? onClear() : running.current?.abort())}
    >
      <div>
        <p class="strong">{packs.chosen(formatNumber(files.length), formatSize(sizeBytes))}</p>
        <p class="small faint pack-files">{files.map(({ path }) => path).join(', ')}</p>
      </div>
      {fault && (
        <p class="small bad-text" role="alert">
          {fault}
        </p>
      )}
      <TextField
        name="name"
        label={packs.packName}
        hint={packs.packNameHint}
        fault={isNameWrong ? packs.packNameFault : undefined}
        autocomplete="off"
        required
        maxLength={100}
        value={name}
        onValue={setName}
      />
      {ratio !== undefined && (
        <div class="upload-progress" role="status">
          <progress aria-label={packs.uploading} value={ratio} max={1} />
          <span class="small faint">{ratio < 1 ? formatPercent(ratio) : packs.storing}</span>
        </div>
      )}
    </Form>
  )
}
