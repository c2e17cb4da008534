/** The voices of the catalogue, and their changes: shown at once, saved one after the other, put back when refused. */
import { useRef } from 'preact/hooks'
import { api, dataOf, type Schema } from '../../client/client'
import { usePoll } from '../../client/load'
import { attempt, toast } from '../../parts/toast'

export type Voice = Schema<'ManagedVoice'>
export type VoiceChanges = Schema<'VoiceChanges'>
type Change = (voices: readonly Voice[]) => readonly Voice[]

/** Another administrator may change them. */
const refreshMs = 20_000

export function useManagedVoices() {
  const list = usePoll(() => dataOf(api.GET('/api/v1/admin/voices')), refreshMs)
  const latest = useRef(list)
  latest.current = list
  const waiting = useRef(0)
  const queue = useRef(Promise.resolve())

  const show = (items: readonly Voice[]) => {
    const data = { ...latest.current.data!, items: [...items] }
    latest.current = { ...latest.current, data }
    list.set(data)
  }

  /** Shows the change now and saves it after the earlier ones. `said`: the words when it is saved. */
  function save(change: Change, send: () => Promise<unknown>, said: string): void {
    const before = latest.current.data!.items
    show(change(before))
    waiting.current++
    queue.current = queue.current.then(async () => {
      const isSaved = await attempt(send)
      waiting.current--
      if (isSaved) toast(said)
      else show(before)
      // The answer shows the changes of other administrators, too.
      if (waiting.current === 0) latest.current.reload()
    })
  }

  const update = (id: string, changes: VoiceChanges, said: string) =>
    save(
      (voices) => voices.map((voice) => (voice.id === id ? apply(voice, changes, voices) : voice)),
      () => dataOf(api.PATCH('/api/v1/admin/voices/{id}', { params: { path: { id } }, body: changes })),
      said,
    )

  /** Moves a featured voice before another one, or behind all of them. */
  const move = (id: string, before: string | null, said: string) =>
    save(
      (voices) => placed(voices, id, before),
      () => dataOf(api.POST('/api/v1/admin/voices/{id}/move', { params: { path: { id } }, body: { before } })),
      said,
    )

  return { list, update, move }
}

/** As the service applies them: a voice that becomes featured comes last. */
function apply(voice: Voice, changes: VoiceChanges, all: readonly Voice[]): Voice {
  const isNew = changes.featured && !voice.featured
  const last = Math.max(0, ...all.filter(({ featured }) => featured).map(({ position }) => position))
  return {
    ...voice,
    ...(isNew && { position: last + 1 }),
    ...changes,
    display_name: changes.display_name ?? voice.display_name,
  } as Voice
}

/** As the service places them: with new positions from 1. */
function placed(voices: readonly Voice[], id: string, before: string | null): Voice[] {
  const ids = featuredOf(voices).flatMap((voice) => (voice.id === id ? [] : voice.id))
  ids.splice(before === null ? ids.length : ids.indexOf(before), 0, id)
  return voices.map((voice) => (voice.featured ? { ...voice, position: ids.indexOf(voice.id) + 1 } : voice))
}

/** In the order of the list. */
export const featuredOf = (voices: readonly Voice[]): Voice[] =>
  voices.filter(({ featured }) => featured).sort((a, b) => a.position - b.position)
