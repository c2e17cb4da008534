/**
 * The takes of this session: texts that were spoken or are being spoken. They go on while the person visits other pages,
 * and survive a refresh of the page: a take that it interrupted can go on.
 */
import { effect, signal } from '@preact/signals'
import { api, ApiError, dataOf, type Schema } from '../../client/client'
import { whenPersonGoes } from '../../client/session'
import { cutText } from './cut'
import type { Format } from './draft'
import { keep, readKept } from './kept'

/** A text of at most 2,000 characters, which is one request. */
export type Part = {
  readonly text: string
  /** Idempotency key of the request. Every further try has the same one, so that a lost answer is not paid twice. */
  readonly key: string
  readonly spoken?: Schema<'Speech'>
}

export type TakeVoice = Pick<Schema<'Voice'>, 'id' | 'display_name' | 'language'>

export type TakeState =
  | { readonly kind: 'speaking'; readonly sinceMs: number; readonly isStopping: boolean }
  /** The service asked to wait; then the take goes on by itself. */
  | { readonly kind: 'waiting'; readonly untilMs: number; readonly error: ApiError }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'failed'; readonly error: ApiError }
  | { readonly kind: 'done' }

export type Take = {
  readonly id: string
  readonly createdAt: string
  readonly voice: TakeVoice
  readonly speed: number
  readonly format: Format
  /** As the person wrote it. */
  readonly text: string
  readonly parts: readonly Part[]
  readonly state: TakeState
}

const takesMax = 50

/** Newest first. */
export const takes = signal<readonly Take[]>([])
/** The balance after the last answer; undefined before the first one. */
export const remaining = signal<number | undefined>(undefined)

let owner: string | undefined

/** Opens the takes of the person who is signed in; those of another person are gone. */
export function openTakes(personId: string): void {
  if (owner === personId) return
  owner = personId
  remaining.value = undefined
  takes.value = (readKept<Take[]>('takes', personId) ?? []).map((take) => ({
    ...take,
    state: take.parts.every(({ spoken }) => spoken) ? { kind: 'done' } : { kind: 'stopped' },
  }))
}

// The parts that are left must not be paid by another person.
whenPersonGoes(
  () => owner,
  () => {
    owner = undefined
    remaining.value = undefined
    takes.value = []
  },
)

effect(() => {
  let kept = takes.value
  // The oldest takes are not kept where the browser has no room.
  while (owner !== undefined && !keep('takes', owner, kept) && kept.length > 0)
    kept = kept.slice(0, Math.floor(kept.length / 2))
})

export const isRunning = ({ state }: Take): boolean => state.kind === 'speaking' || state.kind === 'waiting'

/** The take that is being spoken; one at a time. */
export const runningTake = (): Take | undefined => takes.value.find(isRunning)

const findTake = (id: string): Take | undefined => takes.peek().find((take) => take.id === id)

function changeTake(id: string, changes: Partial<Take>): void {
  takes.value = takes.peek().map((take) => (take.id === id ? { ...take, ...changes } : take))
}

type Wanted = Pick<Take, 'text' | 'voice' | 'speed' | 'format'>

/** Begins a new take in front of the others; returns its id. */
export function speak(wanted: Wanted): string {
  const id = randomId()
  const parts = cutText(wanted.text).map((text) => ({ text, key: randomId() }))
  const state = { kind: 'speaking', sinceMs: Date.now(), isStopping: false } as const
  const take: Take = { ...wanted, id, createdAt: new Date().toISOString(), parts, state }
  takes.value = [take, ...takes.peek()].slice(0, takesMax)
  void run(id)
  return id
}

/** Goes on with the parts that are not spoken yet. */
export function goOn(id: string): void {
  const take = findTake(id)
  if (!take || isRunning(take)) return
  changeTake(id, { state: { kind: 'speaking', sinceMs: Date.now(), isStopping: false } })
  void run(id)
}

/** Ends a take after the part that is being spoken, which is paid already; a waiting one at once. */
export function stop(id: string): void {
  const take = findTake(id)
  if (take?.state.kind === 'speaking') changeTake(id, { state: { ...take.state, isStopping: true } })
  if (take?.state.kind === 'waiting') changeTake(id, { state: { kind: 'stopped' } })
}

/** Forgets a take here; the usage history still has it. */
export function removeTake(id: string): void {
  takes.value = takes.peek().filter((take) => take.id !== id)
}

/** By take: the run that speaks it; an earlier one that still waits ends. */
const runs = new Map<string, symbol>()

async function run(id: string): Promise<void> {
  const mine = Symbol()
  runs.set(id, mine)
  for (;;) {
    const take = findTake(id)
    if (!take || !isRunning(take) || runs.get(id) !== mine) return
    const next = take.parts.findIndex(({ spoken }) => !spoken)
    if (next === -1) return changeTake(id, { state: { kind: 'done' } })
    if (take.state.kind === 'speaking' && take.state.isStopping) return changeTake(id, { state: { kind: 'stopped' } })
    try {
      const spoken = await speakPart(take, take.parts[next]!)
      // Another person has signed in meanwhile.
      if (!findTake(id)) return
      if (spoken.remaining !== null) remaining.value = spoken.remaining
      const parts = findTake(id)?.parts ?? []
      changeTake(id, { parts: parts.map((part, i) => (i === next ? { ...part, spoken } : part)) })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (error.retryAfterSeconds === undefined || isStopping(id))
        return changeTake(id, { state: { kind: 'failed', error } })
      await wait(id, error, error.retryAfterSeconds)
    }
  }
}

const isStopping = (id: string): boolean => {
  const state = findTake(id)?.state
  return state?.kind === 'speaking' && state.isStopping
}

function speakPart({ voice, speed, format }: Take, { text, key }: Part): Promise<Schema<'Speech'>> {
  const body = { text, voice_id: voice.id, speed, format }
  return dataOf(api.POST('/api/v1/tts', { body, params: { header: { 'Idempotency-Key': key } } }))
}

async function wait(id: string, error: ApiError, seconds: number): Promise<void> {
  const untilMs = Date.now() + seconds * 1000
  changeTake(id, { state: { kind: 'waiting', untilMs, error } })
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
  const take = findTake(id)
  if (take?.state.kind === 'waiting')
    changeTake(id, { state: { kind: 'speaking', sinceMs: Date.now(), isStopping: false } })
}

/** 32 hexadecimal characters. `crypto.randomUUID` is missing on pages that came over plain HTTP. */
function randomId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

export const unitsOf = ({ parts }: Take): number => parts.reduce((sum, { spoken }) => sum + (spoken?.units ?? 0), 0)

export const urlsOf = ({ parts }: Take): string[] => {
  const urls: string[] = []
  // The sound ends before the first part that is missing.
  for (const { spoken } of parts) {
    if (!spoken) break
    urls.push(spoken.url)
  }
  return urls
}
