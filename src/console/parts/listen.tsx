/** A button that plays a short sound, such as the demo of a voice, and stops it. */
import { Play, Square, VolumeX } from 'lucide'
import { useEffect } from 'preact/hooks'
import { words } from '../words/words'
import { IconButton } from './button'
import { listen, listening, stopListening } from './sound'

type Props = {
  readonly url: string
  /** Names the sound, such as by its voice. */
  readonly name: string
}

export function ListenButton({ url, name }: Props) {
  const { common } = words.value
  const heard = listening.value?.url === url ? listening.value.state : undefined
  useEffect(
    () => () => {
      if (listening.peek()?.url === url) stopListening()
    },
    [url],
  )
  if (heard === 'failed') return <IconButton icon={VolumeX} label={common.notHeard(name)} onClick={() => listen(url)} />
  if (heard) return <IconButton icon={Square} label={common.stop(name)} onClick={stopListening} />
  return <IconButton icon={Play} label={common.hear(name)} onClick={() => listen(url)} />
}
