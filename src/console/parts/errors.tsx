/** Errors of the service as a person would say them, with their code. */
import { isSessionEnd, type ApiError } from '../client/client'
import { words } from '../words/words'
import { Button } from './button'

/** `without delay`: the time until the next try is shown elsewhere. */
type Delay = 'with delay' | 'without delay'

/** One sentence about the error in the reader's language, or the service's own words where there is none. */
export function sayError(error: ApiError, delay: Delay = 'with delay'): string {
  const { errors } = words.value
  const known: Readonly<Record<string, string>> = errors.byCode
  const sentence = isSessionEnd(error) ? errors.sessionEnded : (known[error.code] ?? error.message)
  if (error.retryAfterSeconds === undefined || delay === 'without delay') return sentence
  return `${sentence} ${errors.tryAgainIn(error.retryAfterSeconds)}`
}

type NoteProps = {
  readonly error: ApiError | undefined
  readonly delay?: Delay
  readonly onRetry?: (() => void) | undefined
}

/** Says the error with its code; the service's own words stand below where they add something. */
export function ErrorNote({ error, delay, onRetry }: NoteProps) {
  if (!error) return null
  const sentence = sayError(error, delay)
  const namesDelay = error.retryAfterSeconds !== undefined
  const addsWords = error.code !== 'unreachable' && !namesDelay && !sentence.startsWith(error.message)
  return (
    <div class="note bad" role="alert">
      <p>{sentence}</p>
      {addsWords && <p class="faint">{error.message}</p>}
      <p class="faint small">
        <code>{error.code}</code>
        {error.requestId && <> · {error.requestId}</>}
      </p>
      {onRetry && <Button onClick={onRetry}>{words.value.common.tryAgain}</Button>}
    </div>
  )
}
