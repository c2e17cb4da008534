/** How far the sending is: the upload in percent, the making of the voice in seconds. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { formatPercent } from '../../format'
import { Button } from '../../parts/button'
import { words } from '../../words/words'
import type { Stage } from './send'

export function Progress({ stage, onCancel }: { readonly stage: Stage; readonly onCancel: () => void }) {
  const { clone, common } = words.value
  const isSending = stage.kind === 'sending'
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => element.current?.scrollIntoView({ block: 'nearest' }), [])
  return (
    <div ref={element} class="sending" role="status">
      <div class="row between">
        <p class="strong">{clone.stages[stage.kind]}</p>
        {stage.kind === 'enrolling' ? <Elapsed /> : isSending && <span>{formatPercent(stage.ratio)}</span>}
      </div>
      <progress aria-label={clone.stages[stage.kind]} {...(isSending && { value: stage.ratio })} max={1} />
      {stage.kind === 'enrolling' ? (
        <p class="small faint">{clone.enrolling}</p>
      ) : (
        <Button kind="quiet" onClick={onCancel}>
          {common.cancel}
        </Button>
      )}
    </div>
  )
}

function Elapsed() {
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    const startedMs = performance.now()
    const timer = setInterval(() => setSeconds(Math.floor((performance.now() - startedMs) / 1000)), 500)
    return () => clearInterval(timer)
  }, [])
  return (
    <span class="faint" aria-hidden="true">
      {seconds} s
    </span>
  )
}
