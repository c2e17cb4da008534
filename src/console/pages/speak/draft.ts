/** The text in the box and the choices beside it. They survive leaving the page and a refresh. */
import { effect, signal } from '@preact/signals'
import { whenPersonGoes } from '../../client/session'
import { keep, readKept } from './kept'

export type Format = 'mp3' | 'wav'

export type Draft = {
  /** Undefined until the person writes: the box has a ready sentence. */
  readonly text: string | undefined
  /** Undefined: the default voice. */
  readonly voiceId: string | undefined
  readonly speed: number
  readonly format: Format
}

export const speedMin = 0.5
export const speedMax = 2

const fresh: Draft = { text: undefined, voiceId: undefined, speed: 1, format: 'mp3' }

export const draft = signal<Draft>(fresh)
let owner: string | undefined

/** Opens the draft of the person who is signed in; the one of another person is gone. */
export function openDraft(personId: string): void {
  if (owner === personId) return
  owner = personId
  draft.value = { ...fresh, ...readKept<Draft>('draft', personId) }
}

whenPersonGoes(
  () => owner,
  () => {
    owner = undefined
    draft.value = fresh
  },
)

export function changeDraft(changes: Partial<Draft>): void {
  draft.value = { ...draft.peek(), ...changes }
}

effect(() => {
  const value = draft.value
  if (owner !== undefined && value !== fresh) keep('draft', owner, value)
})
