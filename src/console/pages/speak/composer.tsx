/** The box for the text, with its count and its cost, and the button that speaks it. */
import { AudioLines } from 'lucide'
import { useEffect, useId, useMemo, useState } from 'preact/hooks'
import { formatNumber } from '../../format'
import { at } from '../../installation'
import { Button } from '../../parts/button'
import { words } from '../../words/words'
import { countCharacters, cutText, partCharactersMax, textCharactersMax } from './cut'

type Props = {
  readonly text: string
  readonly onText: (text: string) => void
  /** Undefined while it loads. */
  readonly balance: number | undefined
  readonly isBusy: boolean
  /** Why nothing can be spoken now; undefined: it can. */
  readonly obstacle: string | undefined
  readonly onSpeak: () => void
}

export function Composer({ text, onText, balance, isBusy, obstacle, onSpeak }: Props) {
  const { speak } = words.value
  const id = useId()
  const count = useMemo(() => countCharacters(text), [text])
  const parts = useParts(text, count)
  // Every character costs one unit, at any speed and in any format, so the page needs no estimate of the service.
  const cost = parts?.cost ?? count
  const why = obstacle ?? faultOf(text, count)
  const isTooLittle = balance !== undefined && cost > balance
  return (
    <section class="card composer">
      <label class="hidden" for={id}>
        {speak.text}
      </label>
      <textarea
        id={id}
        rows={7}
        value={text}
        placeholder={speak.placeholder}
        aria-describedby={`${id}-count`}
        onInput={(event) => onText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.isComposing) return
          event.preventDefault()
          if (!why && !isBusy) onSpeak()
        }}
      />
      <div class="row between">
        <p id={`${id}-count`} class="small faint">
          {speak.costs(formatNumber(count), formatNumber(cost))}
          {parts && parts.count > 1 && ` ${speak.inParts(formatNumber(parts.count))}`}
          {balance !== undefined && !isTooLittle && ` ${speak.leaves(formatNumber(balance - cost))}`}
        </p>
        <div class="row">
          <span class="small faint" id={`${id}-why`}>
            {why ?? (isBusy ? speak.isSpeaking : <kbd>{isApple ? '⌘ ↵' : 'Ctrl ↵'}</kbd>)}
          </span>
          <Button
            kind="primary"
            icon={AudioLines}
            isBusy={isBusy}
            disabled={why !== undefined}
            aria-describedby={`${id}-why`}
            onClick={onSpeak}
          >
            {speak.speak}
          </Button>
        </div>
      </div>
      {isTooLittle && (
        <p class="note warn">
          <span>{speak.tooLittle(formatNumber(cost), formatNumber(balance))}</span>
          <a href={at('/balance')}>{speak.toBalance}</a>
        </p>
      )}
    </section>
  )
}

const isApple = /mac|iphone|ipad/i.test(navigator.userAgent)

function faultOf(text: string, count: number): string | undefined {
  const { speak } = words.value
  if (count > textCharactersMax) return speak.tooLong(formatNumber(textCharactersMax))
  return text.trim() === '' ? speak.nothingWritten : undefined
}

/** Where a long text will be cut is computed when typing has paused. */
function useParts(text: string, count: number): { readonly count: number; readonly cost: number } | undefined {
  const [parts, setParts] = useState<{ count: number; cost: number }>()
  const isLong = count > partCharactersMax && count <= textCharactersMax
  useEffect(() => {
    setParts(undefined)
    if (!isLong) return
    const timer = setTimeout(() => {
      const cut = cutText(text)
      setParts({ count: cut.length, cost: cut.reduce((sum, part) => sum + countCharacters(part), 0) })
    }, 250)
    return () => clearTimeout(timer)
  }, [text, isLong])
  return isLong ? parts : undefined
}
