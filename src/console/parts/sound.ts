/** Plays sounds of the page, one at a time: players with an element of their own, and short sounds in a shared one. */
import { signal } from '@preact/signals'
import { ApiError, findRefusal } from '../client/client'

let sounding: HTMLAudioElement | undefined

/** Plays `audio` and pauses whatever else sounds. Returns whether the browser plays it. */
export async function play(audio: HTMLAudioElement): Promise<boolean> {
  if (sounding !== audio) sounding?.pause()
  sounding = audio
  try {
    await audio.play()
    return true
  } catch {
    // The browser wants a click first, the file cannot be read, or a pause came before the start.
    return false
  }
}

export type Listening = {
  readonly url: string
  readonly state: 'loading' | 'playing' | 'paused' | 'failed'
  /** Why it failed. */
  readonly error?: ApiError
}

/** The address to which a {@link listen} listens now, or listened last. */
export const listening = signal<Listening | undefined>(undefined)

type Progress = { readonly seconds: number; readonly durationSeconds: number }
const beginning: Progress = { seconds: 0, durationSeconds: 0 }

/** How far that sound has been played. */
export const progress = signal<Progress>(beginning)

const shared = document.body.appendChild(new Audio())
const toState = (state: Listening['state']) => {
  const now = listening.peek()
  if (now && now.state !== 'failed') listening.value = { url: now.url, state }
}
shared.onplaying = () => toState('playing')
shared.onwaiting = () => toState('loading')
shared.onpause = () => toState('paused')
shared.ontimeupdate = shared.ondurationchange = () => {
  const { currentTime, duration } = shared
  progress.value = { seconds: currentTime, durationSeconds: Number.isFinite(duration) ? duration : 0 }
}
shared.onended = () => {
  toState('paused')
  shared.currentTime = 0
}
shared.onerror = () => {
  const { url } = listening.peek() ?? {}
  if (url === undefined) return
  void explain(url).then((error) => {
    if (listening.peek()?.url === url) listening.value = { url, state: 'failed', error }
  })
}

/** Plays a short sound that has no player of its own, such as the demo of a voice, from where it was paused. */
export function listen(url: string): void {
  const now = listening.peek()
  if (now?.url !== url || now.state === 'failed') {
    shared.src = url
    progress.value = beginning
    listening.value = { url, state: 'loading' }
  }
  void play(shared).then((isPlaying) => {
    if (!isPlaying && listening.peek()?.url === url && !shared.error) toState('paused')
  })
}

export function pauseListening(): void {
  shared.pause()
}

/** Goes to a place of the sound, and begins to play it where it does not yet. */
export function seekListening(url: string, seconds: number): void {
  if (listening.peek()?.url !== url) listen(url)
  shared.currentTime = Math.max(0, seconds)
}

/** Forgets the sound, if it is the one to which the page listens. */
export function stopListening(url: string): void {
  if (listening.peek()?.url !== url) return
  listening.value = undefined
  progress.value = beginning
  shared.pause()
}

/** The element does not say why it failed; the service does. */
async function explain(url: string): Promise<ApiError> {
  const refusal = url.startsWith('blob:') ? undefined : await findRefusal(url)
  return refusal ?? new ApiError('unplayable', '', 0, undefined, undefined, undefined)
}
