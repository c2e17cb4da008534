/** Says why the audio of a request could not be heard. */
import { useEffect } from 'preact/hooks'
import type { ApiError } from '../../client/client'
import { sayError } from '../../parts/errors'
import { listening } from '../../parts/sound'
import { toast } from '../../parts/toast'
import { words } from '../../words/words'

function say(error: ApiError): string {
  const { common, money } = words.value
  if (error.status === 410) return money.usage.audioErased
  if (error.status === 404) return money.usage.audioMissing
  return error.code === 'unplayable' ? common.unplayable : sayError(error)
}

/** For a list: the button that failed stands among many. */
export function useSoundFaultToast(): void {
  const error = listening.value?.error
  useEffect(() => {
    if (error) toast(say(error), 'bad')
  }, [error])
}

export function SoundFault({ url }: { readonly url: string }) {
  const { value } = listening
  if (value?.url !== url || !value.error) return null
  return (
    <p class="bad-text" role="alert">
      {say(value.error)}
    </p>
  )
}
