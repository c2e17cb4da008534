/** Everything about one request of the history. */
import { Download, Trash2 } from 'lucide'
import { ApiError, api, dataOf } from '../../client/client'
import { formatDecimal, formatDuration, formatNumber, formatTime } from '../../format'
import { Button, LinkButton } from '../../parts/button'
import { CopyButton } from '../../parts/copy'
import { ask, Dialog } from '../../parts/dialog'
import { sayError } from '../../parts/errors'
import { Facts } from '../../parts/facts'
import { PlayButton } from '../../parts/listen'
import { toast } from '../../parts/toast'
import { words } from '../../words/words'
import { SoundFault } from './sound-fault'
import { UsageStatus, type UsageRecord } from './usage-table'

type Props = {
  readonly of: UsageRecord
  readonly voice: string
  /** Who made the request: the name of its key or of its account. */
  readonly who: readonly [string, string]
  /** Without it the audio cannot be erased here. */
  readonly onErased?: () => void
  readonly onClose: () => void
}

export function UsageDetails({ of: record, voice, who: [whoTitle, who], onErased, onClose }: Props) {
  const { usage } = words.value.money
  const { request_id, kind, created_at, characters, units, speed, format, url, audio_ms, duration_ms, surface } = record
  return (
    <Dialog title={usage.detailsOf(formatTime(created_at))} onClose={onClose}>
      <div class="stack">
        <div class="row">
          <UsageStatus of={record} />
          <span class="faint small">{usage.explained[record.status]}</span>
        </div>
        {record.error_code && <Reason code={record.error_code} />}
        {url && <Sound of={record} onErased={onErased} />}
        <Facts
          of={[
            { name: usage.kind, value: kind === 'clone' ? usage.clone : usage.speech },
            { name: usage.voice, value: voice },
            { name: whoTitle, value: who },
            { name: usage.characters, value: formatNumber(characters) },
            { name: usage.units, value: formatNumber(units) },
            { name: usage.speed, value: speed === null ? '–' : formatDecimal(speed) },
            { name: usage.format, value: format ?? '–' },
            { name: usage.audio, value: audio_ms === null ? '–' : formatDuration(audio_ms) },
            { name: usage.synthesis, value: duration_ms === null ? '–' : `${formatNumber(duration_ms)} ms` },
            { name: usage.surface, value: usage.surfaces[surface] },
            {
              name: usage.requestId,
              value: (
                <span class="copied-value">
                  <code>{request_id}</code> <CopyButton text={request_id} />
                </span>
              ),
            },
          ]}
        />
      </div>
    </Dialog>
  )
}

/** The reason of a failure as a person would say it, with its code. */
function Reason({ code }: { readonly code: string }) {
  const sentence = sayError(new ApiError(code, '', 0, undefined, undefined, undefined))
  return (
    <div class="note bad">
      {sentence && <p>{sentence}</p>}
      <code>{code}</code>
    </div>
  )
}

type SoundProps = { readonly of: UsageRecord; readonly onErased: (() => void) | undefined }

function Sound({ of: { request_id, format, url }, onErased }: SoundProps) {
  const { usage } = words.value.money
  const askToErase = () =>
    ask({
      title: usage.eraseTitle,
      text: usage.eraseText,
      action: usage.erase,
      run: async () => {
        await dataOf(api.DELETE('/api/v1/usage/{requestId}/audio', { params: { path: { requestId: request_id } } }))
        toast(usage.isErased)
        onErased?.()
      },
    })
  return (
    <>
      <div class="row">
        <PlayButton isSmall url={url!} name={usage.audio} />
        <LinkButton icon={Download} href={url!} download={`${request_id}.${format}`}>
          {usage.download}
        </LinkButton>
        <CopyButton text={url!} label={usage.copyAddress} />
        {onErased && (
          <Button kind="quiet" icon={Trash2} onClick={askToErase}>
            {usage.erase}
          </Button>
        )}
      </div>
      <SoundFault url={url!} />
    </>
  )
}
