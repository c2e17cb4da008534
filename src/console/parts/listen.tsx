/** Buttons that play a short sound, such as the demo of a voice. One sound plays at a time. */
import { useComputed } from '@preact/signals'
import { Pause, Play, Square, VolumeX } from 'lucide'
import { useEffect } from 'preact/hooks'
import { words } from '../words/words'
import { IconButton } from './button'
import { sayError } from './errors'
import { Icon } from './icon'
import { listen, listening, pauseListening, progress, stopListening } from './sound'

type Props = {
  readonly url: string
  /** Names the sound, such as by its voice. */
  readonly name: string
}

/** The state of the sound in the shared player. It stops when the button goes. */
function useListening(url: string) {
  useEffect(() => () => stopListening(url), [url])
  return useComputed(() => (listening.value?.url === url ? listening.value : undefined)).value
}

/** A small button for rows: it begins at the beginning, and stops. */
export function ListenButton({ url, name }: Props) {
  const { common } = words.value
  const state = useListening(url)?.state
  if (state === 'failed') return <IconButton icon={VolumeX} label={common.notHeard(name)} onClick={() => listen(url)} />
  if (state === 'loading' || state === 'playing')
    return <IconButton icon={Square} label={common.stop(name)} onClick={() => stopListening(url)} />
  return <IconButton icon={Play} label={common.hear(name)} onClick={() => listen(url)} />
}

const radius = 22
const around = 2 * Math.PI * radius

/** A round button for cards: it pauses and goes on, and shows how far the sound is. */
export function PlayButton({ url, name, isSmall = false }: Props & { readonly isSmall?: boolean }) {
  const { common } = words.value
  const state = useListening(url)?.state
  const isPlaying = state === 'playing'
  const label = isPlaying ? common.pause(name) : common.hear(name)
  return (
    <button
      type="button"
      class={`play ${isSmall ? 'is-small' : ''} ${isPlaying ? 'is-playing' : ''}`}
      aria-label={label}
      title={label}
      aria-busy={state === 'loading'}
      onClick={() => (isPlaying || state === 'loading' ? pauseListening() : listen(url))}
    >
      {(isPlaying || state === 'paused') && <Ring />}
      {state === 'loading' ? <span class="spinner" aria-hidden="true" /> : <Icon of={isPlaying ? Pause : Play} />}
    </button>
  )
}

/** The played part, around the button. */
function Ring() {
  const { seconds, durationSeconds } = progress.value
  const ratio = durationSeconds > 0 ? Math.min(1, seconds / durationSeconds) : 0
  return (
    <svg class="play-ring" viewBox="0 0 48 48" aria-hidden="true">
      <circle cx="24" cy="24" r={radius} stroke-dasharray={`${ratio * around} ${around}`} />
    </svg>
  )
}

/** Why the sound could not be played. */
export function ListenFault({ url }: { readonly url: string }) {
  const error = useComputed(() => (listening.value?.url === url ? listening.value.error : undefined)).value
  if (!error) return null
  return (
    <p class="small bad-text" role="alert">
      {error.code === 'unplayable' ? words.value.common.unplayable : sayError(error)}
    </p>
  )
}
