/** Plays sounds of the page, one at a time. */
import { signal } from '@preact/signals'

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

export type Listening = { readonly url: string; readonly state: 'loading' | 'playing' | 'failed' }

/** The address to which a {@link listen} listens now. */
export const listening = signal<Listening | undefined>(undefined)

const shared = new Audio()
const toState = (state: Listening['state']) => () => {
  const now = listening.peek()
  if (now) listening.value = { ...now, state }
}
shared.onplaying = toState('playing')
shared.onwaiting = toState('loading')
shared.onerror = toState('failed')
shared.onended = stopListening
shared.onpause = () => {
  if (listening.peek()?.state !== 'failed') listening.value = undefined
}

/** Plays a short sound that has no player of its own, such as the demo of a voice. */
export function listen(url: string): void {
  shared.src = url
  listening.value = { url, state: 'loading' }
  void play(shared)
}

export function stopListening(): void {
  shared.pause()
  listening.value = undefined
}
