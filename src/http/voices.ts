/** `GET /api/v1/voices` (4.2 of the interface). */
import { Elysia } from 'elysia'
import type { Caller } from '../account/keys'
import { AppError } from '../errors'
import { demoName } from '../voice/catalogue'
import type { ListedVoice } from '../voice/plans'
import { queryOf } from './body'
import type { HttpContext } from './context'

export function voiceRoutes({ access, speaking, addresses }: HttpContext) {
  const { plans, mp3SampleRate } = speaking
  /** Lists stay the same object until the database changes, so each is written out once. */
  const bodies = new WeakMap<readonly ListedVoice[], string>()

  const listFor = (caller: Caller | undefined, group: unknown): readonly ListedVoice[] => {
    if (group === undefined) return plans.listFor(caller?.groupId ?? null)
    if (caller?.role !== 'admin')
      throw new AppError('group_forbidden', 'group: only administrators may use it.', { param: 'group' })
    if (group === 'all') return plans.listAll()
    const found = plans.findGroup(String(group))
    if (found) return plans.listFor(found.id)
    const shown = JSON.stringify(String(group).slice(0, 100))
    throw new AppError('group_not_found', `group: there is no group ${shown}.`, { param: 'group' })
  }

  return new Elysia().get('/api/v1/voices', ({ request, set }) => {
    const caller = access.callerOrNobody(request, 'voices')
    const list = listFor(caller, queryOf(request).group)
    set.headers['cache-control'] = caller ? 'private, no-store' : 'public, max-age=60'
    set.headers.vary = 'Authorization'
    set.headers['content-type'] = 'application/json'
    let body = bodies.get(list)
    if (body === undefined) {
      const voices = list.map((listed) =>
        describeVoice(listed, `${addresses().storageUrl}/${demoName(listed.voice, mp3SampleRate)}`),
      )
      bodies.set(list, (body = JSON.stringify({ voices, total: voices.length })))
    }
    return body
  })
}

function describeVoice({ voice, displayName, featured }: ListedVoice, demoUrl: string) {
  return {
    id: voice.id,
    display_name: displayName,
    demo_url: demoUrl,
    featured,
    language: voice.language,
    gender: voice.gender,
    engine: voice.engine,
    sample_rate: voice.sampleRate,
    description: voice.description,
    deterministic: true,
  }
}
